"""What a person says as their own, takes back, or wants not to be kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from recalld_server.core.distill import Category, Role, Source
from recalld_server.core.distill.hearing import heard
from recalld_server.core.distill.own_words import own_words

BEGIN = datetime(2026, 3, 2, 9, tzinfo=UTC)


def kept(*turns: str | tuple[Role, str]) -> tuple[list[str], Counter[str]]:
    """The sentences that are kept of turns, a person's unless said otherwise, and what was skipped."""
    sources = []
    for place, each in enumerate(turns):
        role, text = (Role.PERSON, each) if isinstance(each, str) else each
        sources.append(Source(UUID(int=place + 1), role, text, BEGIN + timedelta(minutes=place), session_id="s"))
    skipped: Counter[str] = Counter()
    return [each.text for each in heard(sources, frozenset(Category), skipped)], skipped


@pytest.mark.parametrize(
    "text",
    [
        "My password is hunter2!x",
        "Remember that the wifi password is BlueHorse77.",
        "My card number is 4111 1111 1111 1111.",
        "记住,WiFi密码是88886666",
        "我的密碼是abc12345",
    ],
)
def test_a_secret_is_not_kept(text: str) -> None:
    assert kept(text) == ([], {"secret": 1})


@pytest.mark.parametrize(
    "text",
    [
        'The song goes "I live in a yellow submarine".',
        'As she put it, "I never watch television".',
        "He told me: I'm allergic to shrimp.",
        "She wrote: I am allergic to wool. I live in Nice.",
        'Here is the letter: "Dear Sir, my name is Paul. I live in Nice. I love boats."',
        "> I always pay late\n> I prefer cash",
        "Translate into French: I live in London. I have two dogs.",
        "Proofread this: My name is Anna and I work at a bank.",
        "Write an email from Bob: I prefer meeting on Monday.",
        '小王说:"我喜欢加班。"',
        "老师说：“我从来不迟到”",
        "他說：「我喜歡下雨天」",
        "书里写道,我是一只小小鸟",
        "把“我住在东京”翻译成日语",
        "翻译：我对海鲜过敏。我叫李雷。",
        "请帮我润色：我叫李雷，我在银行工作",
    ],
)
def test_the_words_of_others_are_not_the_persons(text: str) -> None:
    assert kept(text)[0] == []


@pytest.mark.parametrize(
    "text",
    [
        'My cat is called "Momo".',
        "Remember: the spare key is under the blue pot.",
        "发票抬头写错了，不是“星河科技”，应该是“星禾科技”。",
        "From now on, when I say so: always answer in French.",
        "记住：我不吃牛肉",
    ],
)
def test_names_in_quotation_marks_and_what_a_colon_leads_to_stay(text: str) -> None:
    assert kept(text)[0] == [text]


def test_what_is_not_the_speakers_own_keeps_its_length() -> None:
    text = '他说：“我喜欢茶。”\n> I like tea\n"no" yes'
    assert own_words(text) == '他说：“xxxx。”\n> x xxxx xxx\n"xx" yes'


@pytest.mark.parametrize(
    "turns",
    [
        ["I live at 12 Elm Street.", "Forget that, please."],
        ["I live at 12 Elm Street.", "Don't remember that."],
        ["Don't remember this, but I'm pregnant."],
        ["This is off the record: I hate my boss."],
        ["I'm pregnant. Please don't store it."],
        ["我住在朝阳区建国路5号", "把这个忘了吧"],
        ["别记这个，我打算辞职"],
        ["這句話不要保存。我討厭我的老闆。"],
        ["我怀孕了", "当我没说"],
    ],
)
def test_what_is_not_to_be_kept_is_not_and_the_rest_is(turns: Sequence[str]) -> None:
    said, skipped = kept("I like jazz.", (Role.ASSISTANT, "Nice!"), *turns, (Role.ASSISTANT, "OK."), "我喜欢跑步")
    assert said == ["I like jazz.", "我喜欢跑步"]
    assert skipped["not_to_be_kept"] == 1


@pytest.mark.parametrize(
    ("turns", "left"),
    [
        (["My budget is 800 euros.", "no make it 900"], []),
        (["We decided to use MongoDB.", "Hmm, scratch that."], []),
        (["We decided to use MongoDB. Scratch that."], []),
        (["I'm a millionaire.", "Just kidding!"], []),
        (
            ["Always answer in German.", "On second thought, always answer in English."],
            ["On second thought, always answer in English."],
        ),
        (["我住在杭州", "不对，我住在宁波"], ["不对，我住在宁波"]),
        (["我住在高雄", "不對，我住在臺南"], ["不對，我住在臺南"]),
        (["以后都用英文回答", "算了，以后还是用中文回答吧"], ["算了，以后还是用中文回答吧"]),
        (["会议定在周三", "哦不，周四"], []),
    ],
)
def test_what_is_taken_back_is_not_kept(turns: Sequence[str], left: Sequence[str]) -> None:
    said, skipped = kept("I like jazz.", *turns)
    assert said == ["I like jazz.", *left]
    assert skipped["taken_back"] == 1


def test_what_corrects_the_assistant_takes_nothing_back() -> None:
    assert kept("I live in Leeds.", (Role.ASSISTANT, "So you work there?"), "No.")[0] == ["I live in Leeds."]
    said, _ = kept("I live in Leeds.", "On second thought, I prefer tea.")
    assert said == ["I live in Leeds.", "On second thought, I prefer tea."]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "My mother is 82. She has a hip replacement. She lives in Kyoto.",
            [
                "My mother is 82.",
                "My mother is 82. She has a hip replacement.",
                "My mother is 82. She lives in Kyoto.",
            ],
        ),
        ("Do you know Leo? He is allergic to wool.", ["Do you know Leo? He is allergic to wool."]),
        ("我媽住在京都。她對青黴素過敏。", ["我媽住在京都。", "我媽住在京都。她對青黴素過敏。"]),
    ],
)
def test_a_pronoun_is_kept_with_whom_it_means(text: str, told: Sequence[str]) -> None:
    assert kept(text)[0] == told


@pytest.mark.parametrize("text", ["She has a hip replacement.", "他对青霉素过敏"])
def test_a_pronoun_for_nobody_is_in_doubt(text: str) -> None:
    source = Source(UUID(int=1), Role.PERSON, text, BEGIN)
    (said,) = heard([source], frozenset(Category), Counter())
    assert said.cue is not None
    assert said.cue.confidence < 0.6


@pytest.mark.parametrize("piece", ["he said: a\n", '"a b" ', "“", "> a\n", "他说：", "「a「b", "she is vegan. "])
def test_long_texts_are_heard_in_one_pass(piece: str) -> None:
    kept(piece * (20_000 // len(piece)))
