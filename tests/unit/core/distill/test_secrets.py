"""What is taken for a secret, and what is not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.core.distill.secrets import holds_secret, without_secrets


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("My password is hunter2!x", "hunter2"),
        ("The password for the router is BlueHorse77.", "BlueHorse77"),
        ("My password is swordfish.", "swordfish"),
        ("My PIN is 4821.", "4821"),
        ("The alarm code is 4821", "4821"),
        ("My card number is 4111 1111 1111 1111, expires 09/27.", "1111"),
        ("Charge 4111-1111-1111-1111 please", "4111"),
        ("My SSN is 123-45-6789.", "6789"),
        ("I use ghp_abcdefghijklmnopqrstuvwxyz0123456789 for GitHub.", "ghp_"),
        ("The key is sk-abc123DEF456ghi789JKL", "sk-abc"),
        ("我的密码是abc12345", "abc12345"),
        ("密码：88886666", "88886666"),
        ("我的密碼是abc12345", "abc12345"),
        ("数据库密码改成Qwer1234了", "Qwer1234"),
        ("我的银行卡号是6222021234567890123", "6222021"),
        ("我的身份证号是110101199003077758", "110101"),
        ("My password是hunter2", "hunter2"),
        ("验证码 482913", "482913"),
        ("postgres://app:S3cretPw@db/orders", "S3cretPw"),
        ("curl -u admin:hunter2 https://a", "hunter2"),
        ('curl -H "Authorization: Bearer eyJhbGciOi.abc.def" https://a', "eyJhb"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI aws s3 ls", "wJalr"),
        ('{"user": "lin", "password": "hunter2"}', "hunter2"),
        ("mysql --password=horse -u root", "horse"),
    ],
)
def test_a_secret_is_hidden(text: str, secret: str) -> None:
    assert holds_secret(text)
    assert secret not in without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "Never put passwords in the repository.",
        "The API key is stored in Vault.",
        "We rotate tokens every 90 days.",
        "Our token limit is 4096.",
        "My phone number is 13800001111.",
        "My order number is 88-20413.",
        "The tokenizer is fast.",
        "The secret is to use cold butter.",
        "仓库的门禁密码每九十天更换一次,由行政发放。",
        "忘记密码时请联系IT",
        "我的手机号是13800001111",
        "订单号20260311000123",
    ],
)
def test_talk_of_secrets_and_other_numbers_stay(text: str) -> None:
    assert without_secrets(text) == text


@given(st.text(max_size=300))
def test_any_text_is_looked_through(text: str) -> None:
    without_secrets(text)


@pytest.mark.parametrize("piece", ["a_", "password ", "://a:", "1 ", "密码", "secret_key_", "eyJa.", "basic "])
def test_long_texts_are_looked_through_in_one_pass(piece: str) -> None:
    without_secrets(piece * (100_000 // len(piece)))
