"""One small word, one verb or one change of places makes another statement of the same words."""

from __future__ import annotations

from uuid import UUID

import pytest

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict
from recalld_server.core.resolve.lexicon import Entry
from recalld_server.core.resolve.lexicon import load as lexicon_tables
from recalld_server.core.resolve.particles import load

LINES = Lines(duplicate=0.848, conflict=0.404)
NEW, DUPLICATE, SUPERSEDES, CONFLICT = Verdict.NEW, Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT


def verdict(old: str, new: str, similarity: float = 0.95) -> Verdict:
    neighbour = Neighbour(UUID(int=1), Statement(old, None, "semantic"), similarity)
    return RulesResolver().decision(Statement(new, None, "semantic"), neighbour, LINES)[0]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I have a ferry to Brest", "I have a ferry from Brest"),
        ("The parcel for Nell is late", "The parcel from Nell is late"),
        ("A lecture about Turing", "A lecture by Turing"),
        ("The last review was short", "The next review was short"),
        ("The lesson yesterday was long", "The lesson today was long"),
        ("I will invite Nell", "I invited Nell"),
        ("我有去大连的船票", "我有从大连来的船票"),
        ("昨天的课很长", "今天的课很长"),
        ("I like his hat", "I like her hat"),
        ("I make pills", "I take pills"),
        ("I have training on Friday", "I have a train on Friday"),
        ("Rule 3 is strict", "Rule 4 is strict"),
        ("The user has type 1 diabetes", "The user has type 2 diabetes"),
        ("小孙被小郑骂了", "小孙把小郑骂了"),
        ("我写歌", "我听歌"),
        ("我给小孙买书", "我从小孙买书"),
        ("我有1型糖尿病", "我有2型糖尿病"),
        ("高铁站很远", "火车站很远"),
        ("去年的账单很高", "今年的账单很高"),
    ],
)
def test_small_words_that_part_two_things(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The pump is on", "The pump is off"),
        ("Crates over 5 kg go by truck", "Crates under 5 kg go by truck"),
        ("The hammer is under the bench", "The hammer is on the bench"),
        ("You can merge on Fridays", "You must merge on Fridays"),
        ("All drivers wear gloves", "Some drivers wear gloves"),
        ("可以周五合并", "必须周五合并"),
        ("我每天喝两杯啤酒", "我每天喝两瓶啤酒"),
        ("上线前通知客服", "上线后通知客服"),
    ],
)
def test_small_words_that_clash(first: str, second: str) -> None:
    assert verdict(first, second) is CONFLICT
    assert verdict(second, first) is CONFLICT


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The pump is due on Friday", "The pump is due Friday"),
        ("You should use tabs", "Use tabs"),
        ("You can't merge on Fridays", "You must not merge on Fridays"),
        ("The key is at the desk", "The key is in the desk"),
        ("应该用制表符", "要用制表符"),
    ],
)
def test_small_words_that_a_paraphrase_changes(first: str, second: str) -> None:
    assert verdict(first, second) is DUPLICATE


def test_more_is_said_with_only_and_less_without_it() -> None:
    assert verdict("Editors can export", "Only editors can export") is NEW
    assert verdict("My friend is Nell", "My best friend is Nell") is not DUPLICATE


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Nell helped me", "I helped Nell"),
        ("I owe Nell 30 euros", "Nell owes me 30 euros"),
        ("I taught Nell chess", "Nell taught me chess"),
        ("Nell admires Igor", "Igor admires Nell"),
        ("QA-7 blocks QA-8", "QA-8 blocks QA-7"),
        ("lexer imports parser", "parser imports lexer"),
        ("billing depends on search", "search depends on billing"),
        ("我欠小孙30块", "小孙欠我30块"),
        ("我给小孙打电话", "小孙给我打电话"),
        ("Nell is Igor's manager", "Igor is Nell's manager"),
        ("I'm Nell's emergency contact", "Nell is my emergency contact"),
        ("I like my tea black and my cocoa sweet", "I like my cocoa black and my tea sweet"),
        ("Use Kafka for events and SQLite for storage", "Use SQLite for events and Kafka for storage"),
        ("inlet is lower than outlet", "outlet is lower than inlet"),
        ("Convert TOML to JSON", "Convert JSON to TOML"),
        ("Rename left_pad to pad", "Rename pad to left_pad"),
        ("小孙是小郑的经理", "小郑是小孙的经理"),
        ("把TOML转成JSON", "把JSON转成TOML"),
    ],
)
def test_who_does_it_to_whom(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like plums, pears and figs", "I like figs, pears and plums"),
        ("My boss is Nell", "Nell is my boss"),
        ("Nell called me", "I was called by Nell"),
        ("我的老板是小孙", "小孙是我的老板"),
    ],
)
def test_other_places_of_the_same_statement(first: str, second: str) -> None:
    assert verdict(first, second) is DUPLICATE


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I bought a canoe", "I saw a canoe"),
        ("I bought a memoir", "I read a memoir"),
        ("I borrowed a drill", "I lent a drill"),
        ("I met Nell", "I called Nell"),
        ("The audit failed", "The audit passed"),
        ("The audit is failing", "The audit is passing"),
        ("We deployed the kiosk", "The kiosk crashed"),
        ("I bank with Zeta", "I'm insured with Zeta"),
        ("我买了一本画册", "我看了一本画册"),
        ("审计失败", "审计成功"),
        ("我叫了外卖", "我叫了出租车"),
        ("I did not buy a canoe", "I did not see a canoe"),
    ],
)
def test_two_verbs_tell_two_things(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I smoke", "I should quit smoking"),
        ("I have a Dropbox subscription", "I will cancel my Dropbox subscription"),
        ("I work at Hooli", "I have to leave Hooli at 5"),
        ("I work at Hooli", "I'm going to quit Hooli"),
        ("I live in Lyon", "I will move to Brest next year"),
        ("I love rabbits", "I don't eat rabbit"),
        ("我抽烟", "我必须戒烟"),
        ("我在美团上班", "我下个月要离职"),
        ("我住在扬州", "我明年要搬到镇江"),
        ("我有一艘皮划艇", "我要把皮划艇卖了"),
        ("我喜欢兔子", "我不吃兔子"),
    ],
)
def test_what_is_yet_to_come_or_another_matter_ends_nothing(old: str, new: str) -> None:
    assert verdict(old, new, 0.75) is NEW


def test_whose_i_it_was_is_not_known() -> None:
    assert verdict('Igor said "I quit rowing"', "I row") is not SUPERSEDES


def test_a_day_that_will_change_has_changed() -> None:
    assert verdict("The retro is on Monday", "The retro will be on Friday", 0.75) is SUPERSEDES


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I eat everything except lamb", "I eat lamb"),
        ("Everyone but Nell paid", "Nell paid"),
        ("I almost missed the ferry", "I missed the ferry"),
        ("我差点误了船", "我误了船"),
    ],
)
def test_what_is_taken_back_is_not_said(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like iced tea", "I like tea"),
        ("The nightly import failed", "The import failed"),
        ("The image cache is flushed daily", "The cache is flushed daily"),
        ("The tablet checkout page is slow", "The checkout page is slow"),
        ("平板结账页很慢", "结账页很慢"),
    ],
)
def test_a_thing_of_a_kind_is_not_the_thing(first: str, second: str) -> None:
    assert verdict(first, second) is NEW
    assert verdict(second, first) is NEW


def test_an_owner_behind_of_describes_nothing_behind_it() -> None:
    assert verdict("The warranty period of our pump begins in May", "Our warranty period begins in May") is DUPLICATE


def test_the_tables_name_words_that_are_read() -> None:
    lexicon = lexicon_tables()
    read = {e.key for table in (lexicon.english, lexicon.chinese) for e in table.values() if isinstance(e, Entry)}
    assert load().known - {"@past", "@doubled"} <= read
