"""What ends: subscriptions, things that one parts with, courses, memberships, tastes. And what only seems to."""

from __future__ import annotations

import pytest
from tests.unit.core.resolve.pairs import CONFLICT, NEW, SUPERSEDES, verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I subscribe to Le Monde", "I cancelled my Le Monde subscription"),
        ("I have a Dropbox subscription", "I unsubscribed from Dropbox"),
        ("I have a pool membership", "I cancelled my pool membership"),
        ("I have a kayak", "I sold my kayak"),
        ("I have a kayak", "I sold my kayak to Nell last week"),
        ("I have a kayak", "I sold my kayak to Nell who is happy"),
        ("I own a caravan", "I gave the caravan away"),
        ("I have an armchair", "I threw the armchair out"),
        ("I have a GitLab account", "I deleted my GitLab account"),
        ("I keep rabbits", "I no longer keep rabbits"),
        ("I'm taking a ceramics course", "I dropped the ceramics course"),
        ("I am enrolled in a first aid course", "I dropped out of the first aid course"),
        ("I'm a member of the debating society", "I left the debating society"),
        ("I am a member of the sailing club", "I quit the sailing club"),
        ("We use Datadog", "We dropped Datadog"),
        ("I love liquorice", "I never want to eat liquorice again"),
        ("I'm dating Pavel", "I broke up with Pavel"),
        ("我订阅了财新", "我退订了财新"),
        ("我订阅了B站大会员", "我取消了B站大会员的订阅"),
        ("我有一艘皮划艇", "我的皮划艇卖掉了"),
        ("我有一艘皮划艇", "我把皮划艇卖给老周了"),
        ("我有一架古筝", "我把古筝送给表妹了"),
        ("我有豆瓣账号", "我注销了豆瓣账号"),
        ("我养了一只兔子", "我不再养兔子了"),
        ("我養了一隻兔子", "我不再養兔子了"),
        ("我报了书法课", "我把书法课退了"),
        ("我是合唱团的成员", "我退出了合唱团"),
        ("我爱吃臭豆腐", "我再也不想吃臭豆腐了"),
        ("我住在扬州", "我从扬州搬走了"),
    ],
)
def test_what_has_ended_supersedes(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have a kayak", "I sold my tent"),
        ("I have a kayak", "Nell sold her kayak"),
        ("I have a kayak", "Nell sold a kayak to me"),
        ("I have a kayak", "I want to sell my kayak"),
        ("I have a kayak", "I will never sell my kayak"),
        ("I have a kayak", "I did not sell my kayak"),
        ("I have bread", "I sell bread"),
        ("I like my pool", "I cancelled my pool"),
        ("I love swing music", "I gave up swing music"),
        ("I have a Dropbox subscription", "I plan to cancel my Dropbox subscription"),
        ("I have a Dropbox subscription", "My brother cancelled his Dropbox subscription"),
        ("I have a Dropbox subscription", "I cancelled my hotel booking"),
        ("I work at Hooli", "I left Hooli at 5 pm"),
        ("Nell no longer eats fish", "I eat fish"),
        ("我有一艘皮划艇", "我的帐篷卖掉了"),
        ("我有一艘皮划艇", "老周把皮划艇卖了"),
        ("我有一艘皮划艇", "我打算把皮划艇卖了"),
        ("我有一艘皮划艇", "我还没把皮划艇卖掉"),
        ("我订阅了财新", "我打算退订财新"),
        ("我订阅了财新", "我妹妹退订了财新"),
        ("我养狗", "我不再养兔子"),
        ("我爱吃臭豆腐", "我再也不想吃榨菜了"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_what_has_not_ended_stays(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


def test_one_of_several_is_for_people_to_decide() -> None:
    assert verdict("I have two kayaks", "I sold a kayak") is CONFLICT
    assert verdict("I have two kayaks", "I sold my kayaks") is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I have a scooter", "I like my scooter"),
        ("I have a scooter", "I bought a scooter"),
        ("I have a scooter", "I don't use my scooter"),
        ("I have a scooter", "I hate my scooter"),
        ("I have a flute", "I play the flute"),
        ("I have a flute", "I don't play the flute"),
        ("I have a rabbit", "I am not afraid of rabbits"),
        ("I have walnuts", "I'm allergic to walnuts"),
        ("We have a cluster in Lyon", "We deployed a cluster in Lyon"),
        ("Walnuts", "I hate walnuts"),
        ("Walnuts", "I'm allergic to walnuts"),
        ("I'm allergic to walnuts", "There are walnuts"),
        ("I don't drink cider", "There is cider"),
        ("The flute is mine", "I sold the flute"),
        ("我有一台咖啡机", "我喜欢我的咖啡机"),
        ("我有一台咖啡机", "我不喜欢我的咖啡机"),
        ("我有一支长笛", "我在学长笛"),
        ("核桃", "我对核桃过敏"),
        ("核桃", "我不吃核桃"),
    ],
)
@pytest.mark.parametrize("similarity", [0.6, 0.9])
def test_that_there_is_a_thing_is_not_what_is_said_of_it(old: str, new: str, similarity: float) -> None:
    assert verdict(old, new, similarity) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Nell has a scooter", "I have a scooter"),
        ("Nell likes swing music", "I like swing music"),
        ("Nell's scooter is green", "My scooter is green"),
        ("老周有一台咖啡机", "我有一台咖啡机"),
    ],
)
def test_what_somebody_else_has_is_not_known_of_the_user(old: str, new: str) -> None:
    assert verdict(old, new, 0.95) is NEW


@pytest.mark.parametrize(
    "new",
    [
        "They leave a mark on us and remind us how it feels to be seen",
        "I sold the kayak to Nell who is glad",
        "I gave the kayak to Nell, it was too long",
        "我把皮划艇卖给老周，他是我的邻居",
    ],
)
def test_what_is_said_of_who_got_a_thing_is_read(new: str) -> None:
    assert verdict("The harbour opens at nine", new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Tartu", "I'm moving to Ghent"),
        ("I live in Tartu", "We're relocating to Ghent"),
        ("We open the bakery at 7", "We close the bakery at 7"),
        ("They open the gate at dawn", "They close the gate at dawn"),
        ("I'm a cook", "I'm cooking"),
        ("Ines is a cook", "Ines is cooking lunch"),
        ("我住在塔林", "我要搬到根特了"),
        ("面包店七点开门", "面包店七点关门"),
    ],
)
def test_what_is_under_way_or_done_each_day_ends_nothing(old: str, new: str) -> None:
    assert verdict(old, new) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Tartu", "I moved to Ghent"),
        ("I live in Tartu", "I relocated to Ghent"),
        ("The office is in Tartu", "The office was moved to Ghent"),
        ("The ticket is open", "The ticket is closed"),
        ("The bakery is open on Sundays", "The bakery is closed on Sundays"),
        ("我住在塔林", "我搬到根特了"),
    ],
)
def test_what_is_done_ends_what_was(old: str, new: str) -> None:
    assert verdict(old, new) is SUPERSEDES
