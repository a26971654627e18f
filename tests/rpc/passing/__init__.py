"""How every call is passed on to the rules, and their answer back."""

from tests.rpc.passing.administration import CASES as ADMINISTRATION
from tests.rpc.passing.case import Case
from tests.rpc.passing.finding import CASES as FINDING
from tests.rpc.passing.looking_back import CASES as LOOKING_BACK
from tests.rpc.passing.memories import CASES as MEMORIES
from tests.rpc.passing.sessions import CASES as SESSIONS

CASES: list[Case] = [*MEMORIES, *FINDING, *LOOKING_BACK, *SESSIONS, *ADMINISTRATION]
