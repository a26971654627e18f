"""The lexical arm's tokens: index and query side alike, in every script."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recalld_server.text.tokens import TERM_SPACE, query_weights, term_id, tokens, tokens_and_length, turns

TEXTS = st.one_of(
    st.text(),
    st.text(alphabet=st.characters(codec=None)),
    st.lists(
        st.sampled_from(
            [
                "PAY-1423",
                "the",
                "who",
                "会议室",
                "a.b/c:d",
                "getName",
                "👍🏽",
                "1,500",
                "C++",
                " ",
                "\n",
                "<a>: ",
                "ใจ",
                "café",
            ]
        ),
        max_size=12,
    ).map(" ".join),
)


def matches(document: str, query: str) -> set[str]:
    return set(tokens(document)) & set(query_weights(query))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Deploying deployments deployed", ["deploy", "deploy", "deploy"]),
        ("PAY-1423", ["pay-1423", "pay", "1423"]),
        ("ERR_OSSL_EVP_UNSUPPORTED", ["err_ossl_evp_unsupported", "err", "ossl", "evp", "unsupport"]),
        ("src/app/main.py", ["src/app/main.py", "src", "app", "main.py", "main", "py"]),
        ("getUserName", ["getusernam", "get", "user", "name"]),
        ("HTTPServer PRs", ["httpserver", "http", "server", "prs"]),
        ("kube.local:8080", ["kube.local:8080", "kube.local", "kube", "local", "8080"]),
        ("C++ C# C", ["c++", "c", "c#", "c", "c"]),
        ("$1,500.00", ["1500.00", "1500", "00"]),
        ("don't O'Brien Bob's", ["don't", "don", "t", "o'brien", "o", "brien", "bob"]),
        ("café Straße", ["café", "cafe", "strass"]),
        ("回滚", ["回", "滚", "回滚"]),
        ("ＨＰ打印机", ["hp", "打", "印", "机", "打印", "印机"]),
        ("会議のメモ", ["会", "议", "の", "メ", "モ", "会议", "议の", "のメ", "メモ"]),
        ("node18 10gb a1b2", ["node18", "node", "18", "10gb", "10", "gb", "a1b2"]),
        ("한국어", ["한", "국", "어", "한국", "국어"]),
        ("ไทย", ["ไทย", "ไท", "ทย"]),
        ("Привет мир", ["привет", "мир"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("العربية", ["العربية"]),
        ("👍🏽 ok", ["👍", "ok"]),
        ("👨\u200d👩\u200d👧", ["👨\u200d👩\u200d👧", "👨", "👩", "👧"]),
        ("🇩🇪", ["🇩🇪"]),
        ("We saw The Who live", ["saw", "the who", "live"]),
        ("who", ["who"]),
        ("... ！？", []),
    ],
)
def test_tokens(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    ("document", "query", "shared"),
    [
        ("We saw The Who live in 2019", "The Who", {"the who"}),
        ("Hamlet says to be or not to be", "to be or not to be", {"to be", "be or", "or not", "not to"}),
        ("是不是的问题", "是不是的", {"是不", "不是", "是的", "是", "不", "的"}),
        (
            "会议室预订系统的管理员密码规则是每九十天更换一次",
            "管理员密码",
            {"管理", "理员", "员密", "密码", "管", "理", "员", "密", "码"},
        ),
        ("会议室预订系统的管理员密码规则是每九十天更换一次", "九十天", {"九十", "十天", "九", "十", "天"}),
        (
            "上海办公室的打印机型号是HP M283",
            "请问一下上海那个办公室打印机是什么型号的",
            {"上海", "办公", "公室", "打印", "印机", "型号"},
        ),
        ("kubectl 部署回滚步骤写在运维手册第三章", "kubectl 回滚", {"kubectl", "回滚", "回", "滚"}),
        ("東京の会議室を予約した", "会議室", {"会议", "议室"}),
        ("管理员密码每九十天更换一次", "管理員密碼", {"管理", "理员", "密码"}),
        ("張偉對青黴素過敏", "张伟对什么过敏", {"张伟", "过敏"}),
        ("ticket PAY-1423 is closed", "pay1423", {"pay", "1423"}),
        ("we run node18 there", "Node 18", {"node", "18"}),
        ("서울 회의실 예약", "회의실은 어디", {"회의", "의실"}),
        ("ticket PAY-1423 is closed", "what about pay 1423?", {"pay", "1423"}),
        ("the trace said ERR_OSSL_EVP_UNSUPPORTED", "err_ossl_evp_unsupported", {"err_ossl_evp_unsupported"}),
        ("edit path/to/file.py", "file.py", {"file.py"}),
        ("call getUserName first", "user name", {"user", "name"}),
        ("wir trinken Kaffee im Café", "cafe", {"cafe"}),
    ],
)
def test_a_query_finds_its_document(document: str, query: str, shared: set[str]) -> None:
    assert shared <= matches(document, query)


def test_no_class_of_tokens_is_lost_beside_another() -> None:
    weights = query_weights("kubectl 回滚 👍 PAY-1423 мир")
    assert {"kubectl", "回滚", "👍", "pay-1423", "мир"} <= set(weights)


def test_stop_words_are_dropped_only_beside_others() -> None:
    assert set(query_weights("who is the one that was there")) == {"one"}
    assert set(query_weights("is it the who")) == {"is it", "it the", "the who"}
    assert "the who" in query_weights("When did we see The Who live?")
    assert query_weights("了吗")
    assert query_weights("…！") == {}


def test_a_query_weighs_turns_names_and_repetitions() -> None:
    weights = query_weights("<user>: old topic\n<assistant>: 中间的话\n<user>: new topic")
    assert weights["new"] == 1.0
    assert weights["old"] == pytest.approx(0.81 * 9 / 8.81)
    assert weights["topic"] == pytest.approx(1.81 * 9 / 9.81)
    assert "user" not in weights
    assert query_weights("what did Alice say")["alic"] == 1.5
    assert query_weights("Alice said")["alic"] == 1.0
    assert query_weights("Right. Tea is good")["tea"] == 1.0
    assert query_weights("回滚")["回"] == 0.2
    assert query_weights("回滚")["回滚"] == 1.0


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("", 0),
        ("the", 1),
        ("green tea, please", 3),
        ("PAY-1423", 3),
        ("我喜欢喝茶", 3),
        ("茶", 1),
        ("We saw The Who", 1),
    ],
)
def test_the_length_is_in_words(text: str, length: int) -> None:
    assert tokens_and_length(text)[1] == length


@pytest.mark.parametrize(
    ("token", "expected"),
    [
        ("", 0),
        ("the who", 252099),
        ("pay-1423", 942797),
        ("deploy", 665960),
        ("海", 743712),
        ("回滚", 667869),
        ("👍", 512807),
    ],
)
def test_term_ids_never_change(token: str, expected: int) -> None:
    assert term_id(token) == expected


def test_term_ids_spread_evenly() -> None:
    pairs = [chr(0x4E00 + first) + chr(0x4E00 + second) for first in range(200) for second in range(100)]
    ids = {term_id(pair) for pair in pairs}
    # 20,000 into 1,048,576 places: chance alone leaves about 19,810 different.
    assert len(ids) > 19_700


@given(TEXTS)
def test_any_text_has_tokens_in_range(text: str) -> None:
    found, length = tokens_and_length(text)
    assert all(found)
    assert all(0 <= term_id(token) < TERM_SPACE for token in found)
    assert (length == 0) == (not found)
    assert length <= len(found)


@given(TEXTS)
def test_a_query_asks_only_for_tokens_of_its_text(text: str) -> None:
    weights = query_weights(text)
    assert all(weight > 0 for weight in weights.values())
    assert set(weights) <= {token for turn in turns(text) for token in tokens(turn)}


@given(TEXTS)
def test_tokens_grow_with_the_text(text: str) -> None:
    once, eight = len(tokens(text)), len(tokens("\n".join([text] * 8)))
    assert eight <= 8 * once + 8 * 8 + 8 * len(text)


@pytest.mark.parametrize(
    "piece", ["a.", "a-b/", "aB", "会", "1,000", "x_", "👨\u200d", "e\u0301", "the ", "ก", "C++", "'s"]
)
def test_repeated_pieces_make_a_bounded_number_of_tokens(piece: str) -> None:
    text = piece * 4000
    assert len(tokens(text)) <= 3 * len(text) + 3
    assert sum(map(len, tokens(text))) <= 6 * len(text)
