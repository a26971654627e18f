"""What people say every day: changes told in passing, comparisons, suppositions, things that were left."""

from __future__ import annotations

from uuid import UUID

import pytest

from recalld_server.core.resolve import Lines, Neighbour, RulesResolver, Statement, Verdict

LINES = Lines(duplicate=0.848, conflict=0.404)
NEW, DUPLICATE, SUPERSEDES, CONFLICT = Verdict.NEW, Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT


async def verdict(old: str, new: str, similarity: float = 0.7) -> Verdict:
    neighbour = Neighbour(UUID(int=1), Statement(old, None, "semantic"), similarity)
    return (await RulesResolver().resolve(Statement(new, None, "semantic"), [neighbour], LINES)).verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The gateway runs on Go 1.20.", "We upgraded the gateway to Go 1.23."),
        ("The retro is on Monday.", "We moved the retro to Thursday."),
        ("The upload limit is 20 MB.", "They raised the upload limit to 50 MB."),
        ("The main branch is called develop.", "We renamed the main branch to stable."),
        ("The review meeting is in Cork.", "We moved the review meeting from Cork to Sligo."),
    ],
)
async def test_a_verb_of_change_may_stand_apart_from_its_value(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I work at Initech.", "I left Initech."),
        ("Tom works at Globex.", "Tom has left Globex."),
        ("我在美团上班。", "我离开美团了。"),
    ],
)
async def test_who_leaves_a_place_of_work_no_longer_works_there(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I work at Initech.", "I left my keys on the desk."),
        ("I work at Initech.", "If they cut my pay I would leave Initech."),
        ("The pump is on the left side.", "The tank is on the right side."),
        ("I like Cork.", "I left Cork at noon."),
        ("我在美团上班。", "如果降薪,我就离开美团。"),
    ],
)
async def test_other_things_may_be_left(old: str, new: str) -> None:
    assert await verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I prefer rye bread over white bread.", "I prefer white bread over rye bread."),
        ("I prefer walking over cycling.", "I prefer cycling over walking."),
        ("我偏爱绿茶胜过红茶。", "我偏爱红茶胜过绿茶。"),
    ],
)
async def test_a_preference_that_is_turned_round_supersedes(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


async def test_what_is_liked_less_is_still_liked() -> None:
    assert await verdict("I like coffee.", "I prefer tea over coffee.") is NEW
    assert await verdict("我喜欢咖啡。", "我偏爱茶胜过咖啡。") is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Turin.", "If I moved to Genoa, I would need a car."),
        ("The deadline is 3 May.", "If the tests fail, the deadline is 10 May."),
        ("我住在温州。", "要是搬到宁波,我就得买车。"),
        ("截止日期是5月3日。", "如果测试没过,截止日期是5月10日。"),
    ],
)
async def test_what_is_supposed_ends_nothing(old: str, new: str) -> None:
    assert await verdict(old, new, 0.9) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I smoke.", "I quit smoking three weeks ago."),
        ("我抽烟。", "我三个月前戒烟了。"),
        ("I see a physio twice a week.", "I see a physio once a week now."),
        ("I'm allergic to wool.", "I'm not allergic to wool after all."),
        ("I'm single.", "I got married last weekend."),
        ("我鞋码是42。", "不对,我鞋码是43。"),
        ("My phone number is 555-0100.", "My new number is 555-0199."),
    ],
)
async def test_when_and_how_often_do_not_hide_a_change(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


async def test_another_way_to_work_is_not_the_same_way() -> None:
    assert await verdict("I drive to work.", "I cycle to work now.", 0.9) is not DUPLICATE
    assert await verdict("我开车上班。", "我骑车上班。", 0.9) is not DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user drinks cocoa without sugar.", "用户喜欢喝龙井,不加糖。"),
        ("The user drinks cocoa without milk.", "The user likes rooibos, not milk."),
        ("I want an aisle seat on long trips.", "I want a window seat on short trips."),
        ("长途我要靠过道的座位。", "短途我要靠窗的座位。"),
        ("I like coffee.", "I prefer tea."),
        ("The parser tests are flaky.", "We moved the parser tests to CI."),
        ("My wife is Sofia.", "My wife is a nurse."),
        ("会议室三有投影。", "会议室四有投影。"),
    ],
)
async def test_what_both_may_hold_leaves_both(old: str, new: str) -> None:
    assert await verdict(old, new, 0.75) is not SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("我一天吃四顿饭。", "我现在一天吃一顿饭。"),
        ("I run four laps in one go.", "I run one lap in one go now."),
        ("The library uses Qt 5.", "We upgraded the library to Qt 6."),
        ("保修期12个月。", "保修期延长到24个月。"),
        ("My boss is Helen.", "My boss is now Tomasz."),
        ("我喜欢香菜。", "香菜我现在完全接受不了。"),
        ("I like anchovies.", "I can't stomach anchovies any more."),
        ("我的律师是老潘。", "我的律师换成小金了。"),
    ],
)
async def test_another_number_or_another_name_is_another_value(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("My birthday is on July 9.", "My birthday is the 9th of July."),
        ("我家狗叫豆豆。", "我家的狗名字叫豆豆。"),
        ("我老闆喜歡樂器。", "我老板喜欢乐器。"),
    ],
)
async def test_another_way_to_write_it_is_the_same(old: str, new: str) -> None:
    assert await verdict(old, new, 0.95) is DUPLICATE


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I like horror films.", "I dont like horror films anymore 😱", SUPERSEDES),
        ("I enjoy camping 🏕️", "I cant stand camping now", SUPERSEDES),
        ("I smoke.", "I quit smoking last winter 🚭", SUPERSEDES),
        ("我爱吃火锅🍲", "我不爱吃火锅了😖", SUPERSEDES),
        ("My badge shows a 🐼", "My badge shows a 🦁", NEW),
        ("I like the 🐼 badge", "I don't like the 🦁 badge anymore", NEW),
        ("Rollout of the kiosk ✅", "Rollout of the kiosk ❌", NEW),
        ("我的头像是🐼", "我的头像不是🦁", NEW),
    ],
)
async def test_typing_and_emoji_do_not_hide_what_has_ended(old: str, new: str, expected: Verdict) -> None:
    assert await verdict(old, new) is expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("bay one", "bay two"),
        ("Sample note four.", "Sample note five."),
        ("I use printer one", "I use printer two"),
        ("样本一", "样本二"),
        ("柜台三", "柜台四"),
        ("note 5 about tides", "note 6 about tides"),
        ("customer five returned the kettle", "customer six returned the kettle"),
        ("pump three failed", "pump four failed"),
        ("section three of the manual", "section four of the manual"),
        ("2楼有饮水机", "5楼有饮水机"),
        ("6号窗口开着", "7号窗口开着"),
        ("版本3有漏洞", "版本4有漏洞"),
        ("Job 12 crashed at noon", "Job 13 crashed at noon"),
        ("We opened port 7001", "We opened port 7002"),
        ("我们关了端口7001", "我们关了端口7002"),
        ("In 2021 I sail a lot", "In April I sail a lot"),
    ],
)
async def test_a_number_that_counts_nothing_tells_things_apart(old: str, new: str) -> None:
    assert await verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("My desk is D3-40", "My desk is now E1-12", SUPERSEDES),
        ("The dock is T-7", "The dock changed to T-9", SUPERSEDES),
        ("储物柜是K2-08", "储物柜换到M5-31了", SUPERSEDES),
        ("储物柜是K2-08", "储物柜现在是M5-31", SUPERSEDES),
        ("Ticket OPS-7 is open", "Ticket OPS-8 is now open", NEW),
        ("OPS-7由小郑负责", "OPS-8现在由小郑负责", NEW),
        ("The dock for CA-101 is T7", "The dock for CA-102 is now T9", NEW),
    ],
)
async def test_what_is_numbered_may_be_the_value_that_changes(old: str, new: str, expected: Verdict) -> None:
    assert await verdict(old, new) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("我喜欢听民谣", "我已经不喜欢听民谣了", SUPERSEDES),
        ("我每天听广播", "我不听广播了", SUPERSEDES),
        ("班会在周二", "听老孙说班会改到周五了", CONFLICT),
        ("班会在周二", "听别人讲班会改到周五了", CONFLICT),
    ],
)
async def test_who_listens_to_music_vouches_for_it(old: str, new: str, expected: Verdict) -> None:
    assert await verdict(old, new) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("I love walnut bread.", "I love walnuts.", NEW),
        ("I like coconut milk", "I like coconuts", NEW),
        ("我喜欢柠檬糖", "我喜欢柠檬", NEW),
        ("I like bread with walnuts.", "I like bread.", DUPLICATE),
        ("I use Photoshop Elements.", "I use Photoshop.", DUPLICATE),
    ],
)
async def test_what_describes_a_thing_is_another_thing(old: str, new: str, expected: Verdict) -> None:
    assert await verdict(old, new, similarity=0.9) is expected


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("Vera says the lift is stuck", "Igor says the lift is stuck", NEW),
        ("According to Vera the lift is stuck", "According to Igor the lift is stuck", NEW),
        ("小孙说她爱喝汤", "小郑说她爱喝汤", NEW),
        ("Vera says the lift is stuck", "Vera said the lift is stuck", DUPLICATE),
        ("小孙说她爱喝汤", "小孙说她爱喝汤。", DUPLICATE),
    ],
)
async def test_what_two_people_say_is_two_statements(old: str, new: str, expected: Verdict) -> None:
    assert await verdict(old, new, similarity=0.9) is expected


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Crew B repaired the crane", "Crew A repaired the crane"),
        ("B楼有健身房", "A楼有健身房"),
        ("Method loadRow returns a tuple", "Method loadRows returns a tuple"),
        ("The trips table has no key", "The users table has no key"),
        ("Never sing on Fridays", "Never deploy on Fridays"),
    ],
)
async def test_small_words_that_tell_things_apart(old: str, new: str) -> None:
    assert await verdict(old, new, similarity=0.9) is NEW
    assert await verdict(new, old, similarity=0.9) is NEW


@pytest.mark.parametrize("word", ["पुस्तक", "o\u0302\u0323", "\u202eספר\u202c", "שָׁלוֹם"])
async def test_marks_are_part_of_their_word(word: str) -> None:
    assert await verdict(word * 30, "y" + word * 30, similarity=0.99) is NEW
    assert await verdict("yy" + word * 30, "y" + word * 30, similarity=0.99) is NEW
