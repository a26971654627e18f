"""What every store must do, as classes of tests over the fixtures `store` and `scope`. A store's own test file derives
from them in a few lines."""

from tests.store.conformance.candidates import Searching
from tests.store.conformance.changing import Changing
from tests.store.conformance.directory import Directories
from tests.store.conformance.filtering import Filtering
from tests.store.conformance.jobs import Indexing
from tests.store.conformance.reading import Reading
from tests.store.conformance.reflection_jobs import ReflectionQueue, Schedules
from tests.store.conformance.reflections import Reflecting
from tests.store.conformance.requests import Requests
from tests.store.conformance.reviews import Reviewing
from tests.store.conformance.sessions import LookingBack, Sessions
from tests.store.conformance.surroundings import Surrounding
from tests.store.conformance.usage import Using
from tests.store.conformance.writing import Writing

__all__ = [
    "Changing",
    "Directories",
    "Filtering",
    "Indexing",
    "LookingBack",
    "Reading",
    "Reflecting",
    "ReflectionQueue",
    "Requests",
    "Reviewing",
    "Schedules",
    "Searching",
    "Sessions",
    "Surrounding",
    "Using",
    "Writing",
]
