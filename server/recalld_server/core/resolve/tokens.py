"""Tokens that mean the same in both languages: phrases looked up, dates and numbers put together."""

from __future__ import annotations

from functools import cache

from . import quantities as q
from .lexicon import Entry, Lexicon, Role, load
from .parted import joined
from .scan import ONGOING, Compound, Piece, Token, Word, pieces

__all__ = ["MAX_TOKENS", "Token", "tokenise"]

MAX_TOKENS = 400

# "May" is a month beside a number or after one of these; anywhere else it is the verb.
_MONTH_LEADS = frozenset(
    {"in", "of", "by", "until", "since", "last", "next", "from", "to", "on", "early", "late", "this", "before"}
)  # fmt: skip
MOMENT = "@once:"
"""What the key of a time begins with that says when something happened, and not what is so."""
_MOST_BETWEEN = 8
_NEEDING = frozenset({"需要", "要"})
_PAST = ("past",)
_SPELLED = "spelled"
# "note 3" and "note 4" are two notes: a bare number right behind such a token is a label, not an amount.
_LABELLED = (Role.WORD, Role.CHAR, Role.PLAIN)
# what is no thing of its own in "note that …" and "the customer likes …"
_LABELLED_TOO = frozenset({"note", "customer", "type", "rule", "dose"})
# "the user" is whom a memory is about; "users" are others, and a table may be called so
_OTHERS = frozenset({"users", "customers", "clients"})
_CLOSING = frozenset({Role.STOP, Role.COMMA, Role.QUESTION})
# "last weekend" and 昨天晚上 are moments; "at weekends" and 晚上 say when a statement holds.
_ONCE = frozenset({"last", "next", "this", "yesterday", "today", "tomorrow", "昨天", "今天", "明天", "前天", "后天"})
_PERIODS = frozenset({"time_of_day", "day_kind", "season"})
_DEPARTING = frozenset({"i", "we", "he", "she", "they", "you", "user", "has", "have", "had", "just", "finally"})
_DETERMINERS = frozenset({"my", "the", "his", "her", "our", "its", "their", "that", "this"})
_ACTS = frozenset({"open", "opens", "close", "closes"})
_WAS = frozenset({"was", "were", "had", "did"})
_MONTH_WHEN_CAPITAL = frozenset({"march", "mar", "dec", "sep", "jan", "jun"})


def tokenise(text: str, names: frozenset[str] = frozenset()) -> list[Token]:
    """Return at most MAX_TOKENS tokens of a normalised text; `names` are casefolded words known to be names."""
    return joined(_merged(_phrases(list(pieces(text)), load(), names)))[:MAX_TOKENS]


@cache
def _expanded(words: str) -> tuple[Token, ...]:
    """The tokens of a compound of the lexicon."""
    return tuple(tokenise(words))


def _phrases(cut: list[Piece], lexicon: Lexicon, names: frozenset[str]) -> list[Token]:
    """Replace runs of Latin words by the longest phrases that the lexicon knows."""
    out: list[Token] = []
    at = 0
    while at < len(cut):
        piece = cut[at]
        first = len(out)
        if isinstance(piece, Word):
            if piece.lower == "left" and _departs(cut, at):
                piece = cut[at] = piece._replace(lemma="leav", key="leav")
            if piece.lemma in lexicon.apart:
                _bring_together(cut, at, lexicon.apart[piece.lemma])
            taken = _quantity(piece, cut, at, out)
            if not taken and piece.lower not in _OTHERS:
                taken = _phrase(piece, cut, at, out, lexicon)
            if not taken:
                out.append(Token(piece.key, Role.WORD, name=piece.capital or piece.lower in names, past=piece.past))
            if 0 < first < len(out) and out[first - 1].key in ("a", "an"):
                out[first] = out[first]._replace(noun=True)
            at += taken or 1
            continue
        if isinstance(piece, Compound):
            out.extend(_expanded(piece.words))
        else:
            out.append(piece)
        at += 1
    return out


def _bring_together(cut: list[Piece], at: int, particle: str) -> None:
    """Put the second part of a verb behind its first: "gave the old bike away" is "gave away the old bike"."""
    for i in range(at + 1, min(len(cut), at + _MOST_BETWEEN)):
        piece = cut[i]
        if not isinstance(piece, Word):
            return
        if piece.lower == particle:
            cut.insert(at + 1, cut.pop(i))
            return


def _departs(cut: list[Piece], at: int) -> bool:
    """Whether "left" at `at` is what somebody did: "I left Acme", "Tom has left the team", not "my left hand"."""
    before = cut[at - 1] if at else None
    after = cut[at + 1] if at + 1 < len(cut) else None
    somewhere = isinstance(after, Word) and (after.capital or after.lower in _DETERMINERS)
    if not isinstance(before, Word):
        return False
    return (before.capital and somewhere) or (before.lower in _DEPARTING and (somewhere or not isinstance(after, Word)))


def _quantity(first: Word, cut: list[Piece], at: int, out: list[Token]) -> int:
    """Numbers, months and days written as words; returns how many words it took."""
    if q.begins_number(first.lower):
        value, used = q.english_number([w.lower for w in cut[at : at + 8] if isinstance(w, Word)])
        out.append(Token(f"#{value}", Role.NUMBER, _SPELLED))
        return used
    if first.lower in q.TIMES and at + 1 < len(cut) and _every(cut[at + 1]):
        out.append(Token(f"#{q.TIMES[first.lower]}", Role.NUMBER, _SPELLED))
        return 1
    if first.lower in q.DAYS:
        sign = "+" if out and out[-1].key == "next" else ""
        out.append(Token(f"@day:{sign}{q.DAYS[first.lower]}", Role.TIME))
        return 1
    if first.lower in q.MONTHS and _is_month(first, out, cut[at + 1 : at + 2]):
        out.append(Token(f"@month:{q.MONTHS[first.lower]}", Role.TIME))
        return 1
    return 0


def _every(piece: Piece) -> bool:
    return isinstance(piece, Word) and piece.lower in ("a", "an", "per", "every", "each", "daily", "weekly", "monthly")


def _is_month(word: Word, out: list[Token], following: list[Piece]) -> bool:
    if word.lower == "may":
        led = bool(out) and (out[-1].role is Role.NUMBER or out[-1].key in _MONTH_LEADS)
        return word.capital and (led or any(isinstance(piece, Token) and _is_day(piece) for piece in following))
    return word.capital or word.lower not in _MONTH_WHEN_CAPITAL


def _phrase(first: Word, cut: list[Piece], at: int, out: list[Token], lexicon: Lexicon) -> int:
    """The longest phrase of the lexicon that begins here; returns how many words it took."""
    for size in lexicon.sizes.get(first.lemma, ()):
        phrase = tuple([word.lemma for word in cut[at : at + size] if isinstance(word, Word)])
        entry = lexicon.english.get(phrase) if len(phrase) == size else None
        if entry is None or (isinstance(entry, Entry) and (_other_form(entry, first) or _acts(entry, first, cut, at))):
            continue
        if isinstance(entry, str):
            out.extend(_told(token, first) for token in _expanded(entry))
        else:
            past = first.past or (size == 1 and first.lower in _WAS)
            out.append(_told(Token(entry.key, entry.role, entry.group, entry.forms, first.capital, past), first))
        return size
    return 0


def _told(token: Token, first: Word) -> Token:
    """The token with the tense of the word that its phrase begins with."""
    if token.role is Role.COPULA and first.lower in _WAS:
        return token._replace(past=True)
    changing = token.role in (Role.REPLACING, Role.ENDED) or "replacing" in token.forms
    return token._replace(forms=(*token.forms, ONGOING)) if changing and first.lower.endswith("ing") else token


def _other_form(entry: Entry, first: Word) -> bool:
    """Whether a word has the stem of an entry and is not what it means: who is cooking need not be a cook."""
    return (entry.forms == _PAST and not first.past) or (entry.group == "profession" and first.lower.endswith("ing"))


def _acts(entry: Entry, first: Word, cut: list[Piece], at: int) -> bool:
    """Whether the word for a state is what somebody does to a thing: we open the shop at 9 and close it at 6."""
    after = cut[at + 1] if at + 1 < len(cut) else None
    return (
        entry.group == "ticket_state"
        and first.lower in _ACTS
        and isinstance(after, Word)
        and after.lower in _DETERMINERS
    )


def _merged(tokens: list[Token]) -> list[Token]:
    """Join a month and its day to a date, and a thing and the number that labels it to one name."""
    out: list[Token] = []
    for i, token in enumerate(tokens):
        if token.key in ("ago", "前") and _ago(out):
            continue
        if token.key.startswith("@month:") and len(out) > 1 and out[-1].key == "of" and _is_day(out[-2]):
            out.pop()
        following = tokens[i + 1].role if i + 1 < len(tokens) else Role.STOP
        one = _joined(out[-1], token, following) if out else None
        if token.role is Role.NUMBER and following is not Role.UNIT and out and out[-1].key in _NEEDING:
            # 需要两张票 needs tickets; 需要重启 says what must be done
            out[-1] = Token("need", Role.HEAD, "", ("verb",))
        if one is None:
            out.append(token)
        else:
            out[-1] = one
    return out


def _ago(out: list[Token]) -> bool:
    """Make one moment of the amount before "ago": three weeks ago, 两个月前."""
    if len(out) < 2 or out[-1].role is not Role.UNIT or out[-2].role is not Role.NUMBER:
        return False
    unit, number = out.pop(), out.pop()
    out.append(Token(f"{MOMENT}{number.key[1:]} {unit.key} ago", Role.TIME))
    return True


def _joined(last: Token, token: Token, following: Role) -> Token | None:
    """What two tokens make together, if anything. A number before a unit is an amount."""
    if token.role is Role.WORD and last.role is not Role.NUMBERED:
        return None
    if token.key.startswith("@month:") and _is_day(last):
        return Token(q.date_key(int(token.key[7:]), int(last.key[1:])), Role.TIME)
    if last.key.startswith("@month:") and _is_day(token):
        return Token(q.date_key(int(last.key[7:]), int(token.key[1:])), Role.TIME)
    if token.role is Role.SCOPE and token.group in _PERIODS and last.key in _ONCE:
        return Token(f"{MOMENT}{last.key} {token.key}", Role.TIME)
    if last.role is Role.NUMBERED and token.role in (Role.NUMBER, Role.CODE):
        return Token(f"{last.key}{token.key}", Role.IDENT)
    if last.role is Role.NUMBER and token.key == "型":
        return Token(f"type{last.key}", Role.IDENT)
    if token.role is Role.NUMBER and _labels(last, token, following):
        return Token(f"{last.key}{token.key}", Role.IDENT)
    if last.role is Role.NUMBERED and token.role is Role.WORD and len(token.key) == 1:
        return Token(f"{last.key}#{token.key}", Role.IDENT)
    return None


def _labels(last: Token, number: Token, following: Role) -> bool:
    """Whether a number tells things apart: "slot 3", "slot three.", but not "need two cups" or "Ubuntu 24.04"."""
    if following is Role.UNIT or "." in number.key:
        return False
    if last.key in _LABELLED_TOO:
        return True
    closes = following in _CLOSING or number.group != _SPELLED
    return closes and last.role in _LABELLED and not last.past


def _is_day(token: Token) -> bool:
    return token.role is Role.NUMBER and token.key[1:].isdigit() and 1 <= int(token.key[1:][:9]) <= 31
