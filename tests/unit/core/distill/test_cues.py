"""What a sentence is taken for by its words."""

from __future__ import annotations

import pytest

from recalld_server.core.distill.cues import read

SURE = 0.6
"""Below, a person is asked."""


@pytest.mark.parametrize(
    "text",
    [
        "Imagine I have a dog.",
        "Let's say I'm the CEO.",
        "For example, my name is John Doe.",
        "I wish I had a cat, I love cats.",
        "If I were vegetarian, I'd always eat here.",
        "My wife asked if I like window seats.",
        "It's not true that I live in Rome.",
        "Nobody said I like opera.",
        "Just kidding, I'm a millionaire.",
        "Yeah right, I love paying twice.",
        "I love airports, said nobody ever.",
        "假设我是你的老板",
        "要是我有一只猫就好了",
        "我以为我是北京人",
        "开玩笑的，我是亿万富翁",
        "呵呵，我最喜欢排队了",
        "我爱死加班了，才怪",
        "開玩笑的，我是億萬富翁",
        "我朋友怀孕了",
    ],
)
def test_what_is_imagined_denied_or_a_joke_is_nothing(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Would I be happier if I lived in Rome",
        "Have we decided on the vendor",
        "What's your favorite color",
        "我是不是说过我喜欢喝茶",
        "我的快递到哪了",
        "我的订单怎么还没发货",
        "孕妇对什么过敏",
        "我們用哪個資料庫",
        "最多还要多久",
    ],
)
def test_a_question_without_its_mark_is_one(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "我什么都不吃辣的，我吃素",
        "记住谁负责部署",
        "部署前必须先问我要不要备份",
        "When you write SQL, always use CTEs.",
    ],
)
def test_a_word_that_asks_does_not_make_a_question(text: str) -> None:
    assert read(text) is not None


@pytest.mark.parametrize(
    "text",
    [
        "My doctor says I'm diabetic.",
        "Tom said he hates swimming.",
        "我妈说我对花生过敏",
        "I'm a potato lol",
        "The docs say: never call this twice.",
        "网上说必须用const",
    ],
)
def test_what_is_told_of_anothers_words_waits_for_a_person(text: str) -> None:
    cue = read(text)
    assert cue is not None
    assert cue.confidence < SURE


@pytest.mark.parametrize(
    "text",
    [
        "Just this once, use tabs.",
        "For this file, don't add comments.",
        "Use a different word here.",
        "Please send me the report.",
        "Please add a chart.",
        "Don't use the first image, use the second one.",
        "Don't forget to attach the file.",
        "这一段不要加注释",
        "这封邮件请写得短一点",
        "不要第一张，要第二张",
        "別忘了附件",
        "这次必须用英文",
    ],
)
def test_an_instruction_for_one_piece_of_work_is_not_kept(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "Whenever you write SQL, use upper-case keywords.",
        "Every time you finish, run the linter.",
        "In this project we indent with two spaces.",
        "Remember: the spare key is under the blue pot.",
        "Keep in mind that our gate opens at six.",
        "For future reference, the vet is Dr. Hale.",
        "Don't forget that I'm vegan.",
        "每次提交前都要跑测试",
        "回答尽量简短",
        "备注：锅炉三月份检修过",
        "別忘了我對花生過敏",
        "Ask me before changing the schema.",
        "拿不准的时候先问我再改表结构",
        "请叫我小金",
        "I like fruit, for example apples.",
        "我喜欢水果，比如说苹果",
        "我什么海鲜都不能吃",
    ],
)
def test_what_is_to_be_remembered_is(text: str) -> None:
    cue = read(text)
    assert cue is not None
    assert cue.confidence >= SURE


@pytest.mark.parametrize(
    "text",
    [
        "My son is hungry.",
        "I'm a bit tired.",
        "My question is simple.",
        "I have an idea.",
        "I have to go.",
        "You never listen!",
        "It looks like my order is late.",
        "I like the second one better.",
        "See you next time!",
        "我是说第二个",
        "我的问题是打不开",
        "我有一个想法",
        "我在路上",
        "我女儿在哭",
        "由你决定",
        "下次再聊",
        "我比較喜歡後一種方案",
        "He likes it.",
        "They're allergic to it.",
        "I have one.",
        "他喜欢它",
        "我對它過敏",
        "My function is too slow",
        "My account is locked.",
        "I use a for loop here.",
        "I never thought of that!",
        "I told my boss I prefer mornings.",
        "我的代码报错了",
        "我的帳單太高了",
        "以后你会懂的",
        "My laptop died again.",
        "My flight is BA 287 today.",
        "My boss wants this by noon.",
        "I have a file with 300 rows.",
        "I've never seen this error before",
        "We agreed to disagree.",
        "It should be blue.",
        "Everybody loves pizza.",
        "I prefer your first draft.",
        "我的手机没电了",
        "我妈打电话来了",
        "我是被误导的",
        "我是觉得有点贵",
        "我叫了外卖",
        "我在排队",
        "我有急事",
        "应该是缓存的问题",
        "改成蓝色",
        "明天再决定",
        "我記得你說過",
    ],
)
def test_what_passes_is_nothing(text: str) -> None:
    assert read(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "I quit smoking today.",
        "My mother was diagnosed with diabetes this morning.",
        "My Spanish is still poor.",
        "We moved the launch to next Friday.",
        "Ann is in charge of the rollout.",
        "I take metformin every morning.",
        "I'm starting at Acme next week.",
        "我今天戒烟了",
        "我今天入职字节跳动",
        "我在阿里巴巴上班",
        "I'm hard of hearing.",
        "We live here.",
        "我听力不好，请打字",
        "小李负责前端，小陈负责后端",
        "发布推迟到6月20日了",
        "我們team用pnpm",
    ],
)
def test_what_happens_today_and_lasts_is_kept(text: str) -> None:
    assert read(text) is not None
