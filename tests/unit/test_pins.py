"""Every package is pinned once, and no pin contradicts what another package asks for: else they cannot be installed."""

import re
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def pins() -> list[tuple[str, str]]:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    found = (line.partition("==") for line in lines if line and not line.startswith("#"))
    return [(canonicalize_name(name), version) for name, _, version in found]


def test_every_package_is_pinned_once() -> None:
    names = [name for name, _ in pins()]
    assert sorted(names) == sorted(set(names))


def test_what_tests_need_is_pinned() -> None:
    lines = (ROOT / "requirements-dev.txt").read_text().splitlines()
    asked = [Requirement(line) for line in lines if line and not line.startswith(("#", "-"))]
    own = {"setuptools"}  # comes with every environment
    assert {canonicalize_name(each.name) for each in asked} - {name for name, _ in pins()} <= own


def test_no_pin_contradicts_what_another_package_asks_for() -> None:
    pinned = dict(pins())
    looked_at = 0
    for name in pinned:
        try:
            asked = [Requirement(re.sub(r"\s*#.*", "", each)) for each in requires(name) or []]
        except PackageNotFoundError:  # of another platform
            continue
        looked_at += 1
        for each in asked:
            version = pinned.get(canonicalize_name(each.name))
            if version is not None and (each.marker is None or each.marker.evaluate({"extra": ""})):
                assert each.specifier.contains(version, prereleases=True), (
                    f"{name} asks for {each}, pinned is {version}"
                )
    assert looked_at > 100
