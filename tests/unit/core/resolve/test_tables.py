"""The word tables hold together: one meaning a surface, every expansion known."""

from __future__ import annotations

import re

import pytest

from recalld_server.core.resolve.lexicon import Entry, Lexicon, Role, lemma, load
from recalld_server.core.resolve.normalise import normalise
from recalld_server.core.resolve.tokens import tokenise


def test_a_surface_with_two_meanings_is_refused() -> None:
    lexicon = Lexicon()
    lexicon.add("tea", Entry("tea", Role.KIN, "drink"))
    with pytest.raises(ValueError, match="two meanings"):
        lexicon.add("tea", Entry("dinner", Role.SCOPE, "meal"))
    lexicon.add("茶", Entry("tea", Role.KIN, "drink"))
    with pytest.raises(ValueError, match="two meanings"):
        lexicon.add("茶", Entry("dinner", Role.SCOPE, "meal"))


def test_every_compound_expands_to_words_of_the_tables() -> None:
    lexicon = load()
    compounds = [e for table in (lexicon.english, lexicon.chinese) for e in table.values() if isinstance(e, str)]
    assert len(compounds) > 30
    for words in compounds:
        tokens = tokenise(words)
        assert tokens
        assert Role.CHAR not in {token.role for token in tokens}, words


def test_every_word_is_found_by_its_own_entry() -> None:
    for surface, entry in load().chinese.items():
        if isinstance(entry, Entry) and entry.role is Role.KIN:
            assert [token.key for token in tokenise(normalise(surface))] == [entry.key], surface


def test_both_languages_have_every_role() -> None:
    lexicon = load()
    missing = {"replacing_amount", "reason_or_time", "ended_mark"}  # English grammar only
    for table in (lexicon.english, lexicon.chinese):
        roles = {entry.role.value for entry in table.values() if isinstance(entry, Entry)}
        assert {"negation", "ended", "replacing", "hedge", "doubt", "addition", "correction", "plan"} <= roles
        assert {role.value for role in Role if re.match("negation|ended|now|head", role.value)} - roles <= missing


@pytest.mark.parametrize(
    ("forms", "stem"),
    [
        (["smoke", "smokes", "smoked", "smoking"], "smok"),
        (["stop", "stops", "stopped", "stopping"], "stop"),
        (["child", "children"], "child"),
        (["city", "cities"], "city"),
        (["is", "was", "been"], "be"),
    ],
)
def test_inflected_forms_share_a_stem(forms: list[str], stem: str) -> None:
    assert {lemma(form, load().irregular) for form in forms} == {stem}
