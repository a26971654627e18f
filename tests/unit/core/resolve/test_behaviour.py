"""What a user would notice: one test per behaviour, in both languages."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from recalld_server.core.resolve import Lines, Neighbour, Resolution, RulesResolver, Statement, Verdict

LINES = Lines(duplicate=0.8, conflict=0.35)
DAY = datetime(2026, 5, 4, 10, tzinfo=UTC)
NEW, DUPLICATE, SUPERSEDES, CONFLICT = Verdict.NEW, Verdict.DUPLICATE, Verdict.SUPERSEDES, Verdict.CONFLICT


def semantic(text: str, time: datetime | None = None) -> Statement:
    return Statement(text, time, "semantic")


def episodic(text: str, time: datetime | None = None) -> Statement:
    return Statement(text, time, "episodic")


def neighbour(old: Statement, similarity: float = 0.7, number: int = 1) -> Neighbour:
    return Neighbour(UUID(int=number), old, similarity)


async def resolve(old: Statement, new: Statement, similarity: float = 0.7) -> Resolution:
    return await RulesResolver().resolve(new, [neighbour(old, similarity)], LINES)


async def verdict(old: str, new: str, similarity: float = 0.7) -> Verdict:
    return (await resolve(semantic(old), semantic(new), similarity)).verdict


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I live in Turin.", "I moved to Genoa."),
        ("用户住在温州。", "用户搬到宁波了。"),
        ("Jo works at Acme.", "Jo now works at Initech."),
        ("小周在工商银行上班。", "小周现在在招商银行上班。"),
        ("The user prefers tabs.", "The user prefers spaces."),
        ("用户偏好深色主题。", "用户偏好浅色主题。"),
        ("Office door code is 1357", "Office door code is 2468"),
        ("门禁密码是1357", "门禁密码是2468"),
        ("The deadline is 3 May.", "The deadline was moved to 10 May."),
        ("截止日期是5月3日。", "截止日期推迟到5月10日。"),
        ("The gateway is on version 2.3.", "The gateway was upgraded to version 2.4."),
        ("网关版本是 2.3。", "网关版本升级到 2.4。"),
        ("Sam's phone number is 555-0100.", "Sam's phone number is 555-0111."),
        ("小孙的电话是010-5550100。", "小孙的电话是010-5550111。"),
        ("The cat is called Tom.", "The cat is not called Tom, it is called Tim."),
        ("The user lives in Rome.", "用户搬到米兰了。"),
        ("用户的密码是 aB3x。", "用户的密码是 ab3x。"),
        ("The price is 1.5 euros.", "The price is 15 euros."),
        ("温度设为 -5 度。", "温度设为 5 度。"),
    ],
)
async def test_a_new_value_of_one_attribute_supersedes(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("I enjoy cilantro", "I cannot stand cilantro any more"),
        ("我喜欢香菜", "我再也受不了香菜了"),
        ("The user smokes.", "The user quit smoking."),
        ("用户抽烟。", "用户戒烟了。"),
        ("I work at Acme.", "I no longer work at Acme."),
        ("我在小米上班。", "我已经不在小米上班了。"),
        ("The user takes the tram to work.", "The user used to take the tram to work."),
        ("用户喝咖啡。", "用户不再喝咖啡。"),
        ("The API needs a key.", "The API does not need a key."),
        ("The user drinks coffee.", "用户不再喝咖啡了。"),
    ],
)
async def test_an_end_supersedes_and_never_becomes_the_positive_fact(old: str, new: str) -> None:
    assert await verdict(old, new, 0.95) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user does not eat fish.", "The user eats fish."),
        ("用户不吃鱼。", "用户吃鱼了。"),
        ("The user quit smoking.", "The user smokes again."),
        ("用户没有驾照。", "用户有驾照了。"),
        ("The user isn't married.", "The user is married."),
    ],
)
async def test_what_was_denied_may_become_true(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user likes jazz.", "The user also likes funk."),
        ("用户喜欢爵士乐。", "用户也喜欢放克。"),
        ("The staging port is 8081.", "The production port is 8080."),
        ("测试环境端口是8081。", "生产环境端口是8080。"),
        ("Anna works at Bosch.", "Ben works at Bosch."),
        ("爸爸在上海工作。", "妈妈在上海工作。"),
        ("The user has two cats.", "The user has three nephews."),
        ("用户有两只猫。", "用户有三个侄子。"),
        ("Order 1182 was refunded.", "Order 1187 was refunded."),
        ("订单1182已退款。", "订单1187已退款。"),
        ("The user drinks tea in the morning.", "The user drinks wine in the evening."),
        ("用户早上喝茶。", "用户晚上喝酒。"),
        ("The user lives in Denver.", "The user plans to move to Austin."),
        ("用户住在南京。", "用户打算搬到苏州。"),
        ("Anna manages Ben.", "Ben manages Anna."),
        ("小王借给小李一百元。", "小李借给小王一百元。"),
        ("Run tests before linting.", "Run linting before tests."),
        ("先启动服务再执行迁移。", "先执行迁移再启动服务。"),
        ("The minimum password length is 8.", "The maximum password length is 64."),
        ("The user works at Acme.", "The user works at night."),
        ("The user lives in Oslo.", "The user lives with his parents."),
        ("The user's work email is a@x.example.", "The user's personal email is b@y.example."),
        ("The user uses PostgreSQL.", "The user now uses Redis."),
        ("The user speaks French.", "The user does not speak German."),
        ("用户的老婆在上海工作。", "用户在北京工作。"),
        ("免费用户的上限是10。", "付费用户的上限是100。"),
    ],
)
async def test_an_addition_leaves_both(old: str, new: str) -> None:
    assert await verdict(old, new, 0.9) is NEW


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user is allergic to bees.", "The user has a bee allergy."),
        ("用户对花生过敏。", "用户花生过敏。"),
        ("The stand-up is at 9:30 every weekday.", "Every weekday the stand-up is at 9:30."),
        ("例会每周一上午十点开。", "每周一上午10点开例会。"),
        ("Tom has twelve kids.", "Tom has 12 children."),
        ("Tom has twelve children.", "Tom有十二个孩子。"),
        ("The user doesn't eat pork.", "The user does not eat pork."),
        ("用戶喜歡喝綠茶。", "用户喜欢喝绿茶。"),
        ("The deadline is 3 October.", "The deadline is October 3rd."),
        ("截止日期是十月三日。", "The deadline is 3 October."),
        ("The server has 64 GB of RAM.", "The server has 64GB RAM."),
        ("The user likes tea and coffee.", "The user likes coffee and tea."),
        ("Anna is managed by Ben.", "Ben manages Anna."),
        ("用户在腾讯工作。", "用户就职于腾讯。"),
    ],
)
async def test_a_paraphrase_is_a_duplicate(old: str, new: str) -> None:
    assert await verdict(old, new, 0.85) is DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The rate limit is 100 requests a minute.", "I think the rate limit might be 60 requests a minute."),
        ("限流是每分钟100次。", "限流好像是每分钟60次。"),
        ("Sofia leads the design team.", "Mark says Ivan leads the design team."),
        ("设计组由李娜负责。", "据说设计组由赵强负责。"),
        ("The user is allergic to nuts.", "The user is probably not allergic to nuts."),
        ("用户喜欢蘑菇。", "不确定用户喜不喜欢蘑菇。"),
        ("用户住在绍兴。", "The user lives in Shaoxing."),
        ("Anna has two cats and three dogs.", "Anna has three cats and two dogs."),
    ],
)
async def test_what_is_doubtful_is_a_conflict(old: str, new: str) -> None:
    assert await verdict(old, new) is CONFLICT


@pytest.mark.parametrize(
    ("old", "new"),
    [("The user lives in Shanghai.", "The user lives in Shanghai, Pudong."), ("用户住在上海。", "用户住在上海浦东。")],
)
async def test_a_finer_value_takes_the_place_of_the_coarse_one_and_not_the_other_way_round(old: str, new: str) -> None:
    assert await verdict(old, new) is SUPERSEDES
    assert await verdict(new, old) is DUPLICATE


@pytest.mark.parametrize(
    ("old", "new"),
    [("Went for a 5 km run.", "Went for a 7 km run."), ("今天跑了五公里。", "今天跑了五公里。")],
)
async def test_events_at_other_times_are_other_events(old: str, new: str) -> None:
    found = await resolve(episodic(old, DAY), episodic(new, DAY + timedelta(days=7)), 0.99)
    assert found == Resolution(NEW, (), 0.99, "other_event")


async def test_a_correction_reaches_an_event() -> None:
    old, new = "The parcel came at 15:00.", "Correction: the parcel came at 16:00."
    later = DAY + timedelta(hours=1)
    assert (await resolve(episodic(old, DAY), episodic(new, later))).verdict is SUPERSEDES
    old, new = "包裹15点到。", "更正：包裹16点到。"
    assert (await resolve(episodic(old, DAY), episodic(new, later))).verdict is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"), [("The door was locked.", "The door was not locked."), ("门锁上了。", "门没有锁上。")]
)
async def test_two_accounts_of_one_event_are_a_conflict(old: str, new: str) -> None:
    assert (await resolve(episodic(old, DAY), episodic(new, DAY))).verdict is CONFLICT
    assert (await resolve(episodic(old), episodic(new))).verdict is CONFLICT


async def test_a_state_told_as_an_event_without_a_time_may_change() -> None:
    found = await resolve(episodic("I enjoy cilantro"), episodic("I cannot stand cilantro any more"))
    assert found.verdict is SUPERSEDES
    assert (await resolve(episodic("门禁密码是1357"), episodic("门禁密码是2468"))).verdict is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"), [("I work at Acme.", "I work at Initech."), ("我在小米上班。", "我在华为上班。")]
)
async def test_older_news_that_arrives_later_is_a_conflict(old: str, new: str) -> None:
    assert (await resolve(semantic(old, DAY), semantic(new, DAY - timedelta(days=400)))).verdict is CONFLICT
    assert (await resolve(semantic(old, DAY), semantic(new, DAY + timedelta(days=400)))).verdict is SUPERSEDES


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user prefers email. The user lives in Cork.", "The user lives in Galway."),
        ("用户喜欢邮件联系。用户住在西安。", "用户住在兰州。"),
    ],
)
async def test_an_old_statement_that_stays_half_true_is_not_superseded(old: str, new: str) -> None:
    assert await verdict(old, new) is CONFLICT


async def test_an_old_statement_is_superseded_when_its_other_half_is_said_again() -> None:
    old = "The user prefers email. The user lives in Cork."
    assert await verdict(old, "The user prefers email. The user lives in Galway.") is SUPERSEDES


@pytest.mark.parametrize("question", ["Does the user live in Galway?", "用户住在兰州吗？"])
async def test_a_question_states_nothing(question: str) -> None:
    assert await verdict("The user lives in Cork.", question) is NEW


async def test_kinds_of_memory_are_kept_apart() -> None:
    found = await resolve(semantic("The user lives in Cork."), episodic("The user moved to Galway."))
    assert found == Resolution(NEW, (), 0.7, "other_kind")


async def test_below_the_conflict_line_only_one_attribute_of_one_subject_is_compared() -> None:
    assert await verdict("I live in Chicago.", "用户搬到深圳了。", 0.1) is SUPERSEDES
    assert await verdict("The deadline is 3 May.", "The deadline is 9 May.", 0.1) is NEW
    assert await verdict("The stand-up is at 9:30.", "The stand-up is at 10:30.", 0.1) is NEW


async def test_every_clashing_memory_is_named_the_nearest_first() -> None:
    near = [
        neighbour(semantic("The user lives in Cork."), 0.6, 1),
        neighbour(semantic("The user likes tea."), 0.7, 2),
        neighbour(semantic("用户住在大连。"), 0.65, 3),
    ]
    found = await RulesResolver().resolve(semantic("The user moved to Galway."), near, LINES)
    assert found == Resolution(SUPERSEDES, (UUID(int=3), UUID(int=1)), 0.65, "same_attribute_new_value")


async def test_a_duplicate_is_of_the_nearest_memory_and_goes_before_a_clash() -> None:
    near = [
        neighbour(semantic("The user lives in Cork."), 0.9, 1),
        neighbour(semantic("The user lives in Galway."), 0.95, 2),
        neighbour(semantic("User lives in Galway"), 0.97, 3),
    ]
    found = await RulesResolver().resolve(semantic("The user lives in Galway."), near, LINES)
    assert (found.verdict, found.memory_ids) == (DUPLICATE, (UUID(int=3),))


async def test_without_neighbours_everything_is_new() -> None:
    found = await RulesResolver().resolve(semantic("用户住在大连。"), [], LINES)
    assert found == Resolution(NEW, (), 0.0, "no_neighbours")


async def test_a_reason_holds_no_text_of_a_memory() -> None:
    found = await resolve(semantic("The safe code is 9911."), semantic("The safe code is 1199."))
    assert found.reason == "same_attribute_new_value"
