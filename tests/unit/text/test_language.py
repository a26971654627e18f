"""English, Chinese, or neither."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.language import han_share, language


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Where did I put the keys?", "en"),
        ("kubectl rollout undo", "en"),
        ("I visited 北京 last year and loved it", "en"),
        ("café at noon", "en"),
        ("钥匙放在哪里了？", "zh"),
        ("kubectl 部署回滚步骤", "zh"),
        ("把 API gateway 的 timeout 改成 30 秒", "zh"),
        ("繁體中文也可以", "zh"),
        ("東京の会議室を予約した", "other"),
        ("회의실 예약", "other"),
        ("где ключи?", "other"),
        ("أين المفاتيح", "other"),
        ("ich habe die Schlüssel nicht gefunden", "other"),
        ("où sont les clés de la maison avec nous", "other"),
        ("", "other"),
        ("12:30 😀 !!", "other"),
    ],
)
def test_language(text: str, expected: str) -> None:
    assert language(text) == expected


def test_the_chinese_share_counts_a_word_as_two_characters() -> None:
    assert han_share("回滚") == 1.0
    assert han_share("rollback") == 0.0
    assert han_share("kubectl 回滚") == 0.5
    assert han_share("") == 0.0


@given(st.text())
def test_any_text_has_a_language_and_a_share(text: str) -> None:
    assert language(text) in ("en", "zh", "other")
    assert 0.0 <= han_share(text) <= 1.0
