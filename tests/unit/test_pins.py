"""Every package is pinned once: two pins of one package cannot be installed."""

from pathlib import Path


def test_every_package_is_pinned_once() -> None:
    lines = (Path(__file__).parents[2] / "constraints.txt").read_text().splitlines()
    names = [line.partition("==")[0].lower().replace("_", "-") for line in lines if line and not line.startswith("#")]
    assert sorted(names) == sorted(set(names))
