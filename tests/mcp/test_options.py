"""From the command line, and from a project's folder, to what a call means."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_mcp.options import read_options
from recalld_mcp.serve import defaults_of
from recalld_mcp.workspace import namespace_of, unexpanded

NAMESPACE = re.compile(r"^[a-z0-9]([a-z0-9._-]*[a-z0-9])?(/[a-z0-9]([a-z0-9._-]*[a-z0-9])?)*$")


@given(
    st.text(st.characters(blacklist_characters="${}%"), min_size=1).filter(
        lambda path: path.strip().strip("/\\").strip()
    )
)
def test_every_folder_has_a_namespace_that_can_be(folder: str) -> None:
    name = namespace_of(folder)
    assert NAMESPACE.fullmatch(name)
    assert len(name) <= 200
    assert name == namespace_of(folder)


def test_folders_of_one_name_stay_apart_and_a_slash_at_the_end_is_nothing() -> None:
    assert namespace_of("/home/ada/Web Shop/").startswith("workspace/web-shop-")
    assert namespace_of("/home/ada/Web Shop/") == namespace_of("/home/ada/Web Shop")
    assert namespace_of("/home/ada/shop") != namespace_of("/home/ben/shop")
    assert namespace_of(r"C:\work\Shop").startswith("workspace/shop-")
    assert re.fullmatch("workspace/[0-9a-f]{10}", namespace_of("/home/林乔/项目"))


@pytest.mark.parametrize("folder", ["${workspaceFolder}", "/x/${env:HOME}", "%USERPROFILE%", "", "  "])
def test_what_the_client_did_not_fill_in_is_refused(folder: str) -> None:
    with pytest.raises(ValueError, match="--workspace"):
        namespace_of(folder)
    assert defaults_of(read_options(["--workspace", folder], {})).problem


def test_prices_and_shares_are_not_variables() -> None:
    assert unexpanded("100% of $5") == ""
    assert unexpanded("a ${b} c") == "${b}"


def test_the_user_comes_from_the_environment_and_the_line_wins() -> None:
    assert read_options([], {"RECALLD_USER_ID": "ada"}).user_id == "ada"
    assert read_options(["--user-id", "ben"], {"RECALLD_USER_ID": "ada"}).user_id == "ben"
    assert read_options([], {}).user_id is None


def test_defaults_are_the_clients_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECALLD_NAMESPACE", raising=False)
    assert defaults_of(read_options([], {})).namespace == "default"
    monkeypatch.setenv("RECALLD_NAMESPACE", "team/search")
    assert defaults_of(read_options([], {})).namespace == "team/search"
    assert defaults_of(read_options(["--namespace", "mine"], {})).namespace == "mine"
