"""What looks like a secret: passwords, tokens, keys, numbers of cards and of papers."""

from __future__ import annotations

import re
from typing import Final

_HIDDEN: Final = "…"
_LONGEST: Final = 200
_LABELS: Final = (
    r"(?:password|passwd|passphrase|passcode|pwd|secret|token|api[ _-]?key|(?:secret|access|private|signing|licen[cs]e)[ _-]key"
    r"|pin(?: code| number)?|cvv|cvc|ssn|social security number|(?:card|bank account|passport) number"
    r"|(?:door|gate|alarm|access|entry|security|verification|recovery|one[- ]time) code|authorization)"
)
_LABELS_ZH: Final = "(?:密码|密碼|口令|验证码|驗證碼|密钥|密鑰|令牌|卡号|卡號|银行账号|銀行帳號|身份证号?码?|身分證字?號?碼?|护照号码?|護照號碼?|门禁码|門禁碼)"
_VALUE: Final = rf"[^\s'\"&,;，。；、}}]{{1,{_LONGEST}}}"
_CODE: Final = r"(?=[^\s]{0,40}[\d@#$%^*!_])"

# Each hides its last group.
_LABELLED: Final = re.compile(
    rf"(?i)(?<![a-z]){_LABELS}(?:_\w{{1,40}})?(?:[\"']?\s{{0,2}}(?:[:=是为]|=>)\s{{0,2}}[\"']?(?:bearer |basic )?({_VALUE})"
    rf"|(?:\s(?:for|of|to|on)(?:\s[\w'-]{{1,24}}){{1,4}})?\s(?:is|was|=|to)(?: now)?[ :]{{1,2}}[\"'“]?({_CODE}{_VALUE}|{_VALUE}(?=[.!\s\"'”]*$)))"
    rf"|{_LABELS_ZH}(?:[^，。；\n]{{0,8}}?(?:[是为為:：=]|改成|設成|设成))?\s{{0,2}}[\"“「]?([\x21-\x7e]{{3,{_LONGEST}}})"
)
_SHAPED: Final = re.compile(
    r"(?<![A-Za-z0-9])((?:sk|pk|rk)[-_][\w-]{16,200}|gh[opsur]_\w{16,200}|github_pat_\w{16,200}|glpat-[\w-]{16,200}"
    r"|xox[abprs]-[\w-]{10,200}|A[KS]IA[A-Z0-9]{16}|AIza[\w-]{30,200}|eyJ[\w-]{5,2000}\.[\w.-]{3,2000}"
    r"|\d{3}-\d{2}-\d{4}(?!\d)|\d{17}[\dXx](?![\w]))"
    r"|-----BEGIN [A-Z ]{0,40}PRIVATE KEY-----([\s\S]{0,8000})"
    r"|(?i:\bbearer|\bbasic)\s([\w.~+/=-]{12,2000})"
    r"|://[^\s:/@]{0,100}:([^\s/@]{1,200})@"
    r"|(?i:\s(?:-u|--user)[ =][^\s:]{1,100}:)([^\s'\"]{1,200})"
    r"|(?i:\s--?(?:password|passwd|pass|token|secret|api-key)[ =])([^\s'\"]{1,200})"
)
_CARD: Final = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")


def without_secrets(text: str) -> str:
    """The text with what looks like a secret hidden; what it belongs to stays. Time grows with the length of the text."""
    text = _CARD.sub(lambda found: _HIDDEN if _is_card(found[0]) else found[0], text)
    return _LABELLED.sub(_hide, _SHAPED.sub(_hide, text))


def holds_secret(text: str) -> bool:
    """Whether something in the text looks like a secret."""
    return without_secrets(text) != text


def _hide(found: re.Match[str]) -> str:
    start, end = found.span(found.lastindex or 0)
    whole, offset = found[0], found.start()
    return whole[: start - offset] + _HIDDEN + whole[end - offset :]


def _is_card(text: str) -> bool:
    """Luhn's check."""
    digits = [int(character) for character in reversed(text) if character.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[1::2])
    return (sum(digits[::2]) + sum(doubled)) % 10 == 0
