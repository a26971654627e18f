"""PostgreSQL keeps the contract of the store."""

from tests.store import conformance


class TestWriting(conformance.Writing): ...


class TestChanging(conformance.Changing): ...


class TestReading(conformance.Reading): ...


class TestFiltering(conformance.Filtering): ...


class TestSurrounding(conformance.Surrounding): ...


class TestSearching(conformance.Searching): ...


class TestRequests(conformance.Requests): ...


class TestDirectories(conformance.Directories): ...
