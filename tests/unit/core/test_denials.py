"""Which denied calls get an event."""

from dataclasses import replace
from uuid import UUID

from recalld_server.core.denials import NOTED_AT_MOST, NOTED_FOR, PRINCIPALS, Denials
from recalld_server.model import Principal, Role

RITA = Principal(UUID(int=1), "acme", "rita", frozenset({Role.READER}), "k1", method="Write")


def test_the_same_attempt_is_news_once_in_a_while() -> None:
    now = [0.0]
    denials = Denials(lambda: now[0])
    assert [denials.is_news(RITA, "team", "PERMISSION_DENIED") for _ in range(3)] == [True, False, False]
    now[0] = NOTED_FOR - 1
    assert not denials.is_news(RITA, "team", "PERMISSION_DENIED")
    now[0] = NOTED_FOR
    assert denials.is_news(RITA, "team", "PERMISSION_DENIED")


def test_another_call_place_end_or_key_is_news_of_its_own() -> None:
    denials = Denials(lambda: 0.0)
    attempts = [
        (RITA, "team", "PERMISSION_DENIED"),
        (RITA, "队/甲", "PERMISSION_DENIED"),
        (RITA, "team", "NOT_FOUND"),
        (replace(RITA, method="Forget"), "team", "PERMISSION_DENIED"),
        (replace(RITA, key_id="k2"), "team", "PERMISSION_DENIED"),
        (replace(RITA, tenant_id=UUID(int=2)), "team", "PERMISSION_DENIED"),
    ]
    assert all(denials.is_news(*attempt) for attempt in attempts)
    assert not any(denials.is_news(*attempt) for attempt in attempts)


def test_one_principal_makes_so_many_events_at_most_and_takes_none_from_others() -> None:
    denials = Denials(lambda: 0.0)
    news = [denials.is_news(RITA, f"n{number}", "NOT_FOUND") for number in range(2 * NOTED_AT_MOST)]
    assert sum(news) == NOTED_AT_MOST
    assert denials.is_news(replace(RITA, agent_id="sam"), "n0", "NOT_FOUND")


def test_no_more_principals_are_remembered_than_there_is_room_for() -> None:
    denials = Denials(lambda: 0.0)
    agents = [replace(RITA, agent_id=str(number)) for number in range(PRINCIPALS + 1)]
    assert all(denials.is_news(agent, "team", "NOT_FOUND") for agent in agents)
    assert not denials.is_news(agents[-1], "team", "NOT_FOUND")
    assert denials.is_news(agents[0], "team", "NOT_FOUND")
