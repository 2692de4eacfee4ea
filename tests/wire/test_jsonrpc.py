"""JSON-RPC lines: what is a message, what is tolerated, what is foreign; decoding never raises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contractd.wire import (
    ErrorResponse,
    Foreign,
    Notification,
    Request,
    Response,
    decode,
    encode_error,
    encode_notification,
    encode_request,
    encode_result,
)

JSON: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error", "code", "message", "data", "x"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(st.binary(max_size=80) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=400, deadline=None)
@example(b"[" * 100_000)
@example(b'{"a":' * 100_000)
@example(b'"\\ud800"')
@example(b"9" * 10_000)
@example(b"NaN")
@example(b"\xff")
@example(b"")
def test_any_bytes_are_messages_or_foreign_and_never_an_exception(data: bytes) -> None:
    messages = decode(data)
    assert messages
    for message in messages:
        if isinstance(message, Foreign):
            assert len(message.text) <= 300 and message.reason
        elif isinstance(message, ErrorResponse):
            assert message.code is None or type(message.code) is int
            assert len(message.message) <= 500


def one(text: str) -> Any:
    (message,) = decode(text.encode())
    return message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"jsonrpc":"2.0","id":1,"result":{}}', Response(1, {})),
        ('\ufeff{"jsonrpc":"2.0","id":1,"result":null}', Response(1, None)),
        ('{"jsonrpc":"2.0","id":"1","result":5}', Response(1, 5, ("id-text",))),
        ('{"id":1,"result":{}}', Response(1, {}, ("jsonrpc-version",))),
        ('{"jsonrpc":"1.0","id":1,"result":{}}', Response(1, {}, ("jsonrpc-version",))),
        ('{"jsonrpc":"2.0","id":1,"error":null,"result":{}}', Response(1, {}, ("error-null",))),
        ('{"jsonrpc":"2.0","id":1,"result":{},"took":3}', Response(1, {}, ("extra-member",))),
        ('{"jsonrpc":"2.0","id":"x","result":{}}', Response(None, {}, ("id-null",))),
        ('{"jsonrpc":"2.0","id":null,"result":{}}', Response(None, {}, ("id-null",))),
        ('{"jsonrpc":"2.0","id":true,"result":{}}', Response(None, {}, ("id-null",))),
        ('[{"jsonrpc":"2.0","id":1,"result":{}}]', Response(1, {}, ("batch",))),
        ('[{"jsonrpc":2,"id":"1","result":{}}]', Response(1, {}, ("batch", "jsonrpc-version", "id-text"))),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"m","data":[1]}}', ErrorResponse(1, -1, "m", [1])),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":"-32000","message":5}}', ErrorResponse(1, -32000, "")),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":"E"}}', ErrorResponse(1, None, "")),
        ('{"jsonrpc":"2.0","id":1,"error":{"code":true}}', ErrorResponse(1, None, "")),
        ('{"jsonrpc":"2.0","id":1,"error":"broken"}', ErrorResponse(1, None, "broken")),
        ('{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":""}}', ErrorResponse(None, -32700, "")),
        ('{"jsonrpc":"2.0","id":"a","method":"ping"}', Request("a", "ping")),
        ('{"jsonrpc":"2.0","id":0,"method":"x","params":[]}', Request(0, "x", [])),
        ('{"jsonrpc":"2.0","method":"n","params":{}}', Notification("n", {})),
        ('{"jsonrpc":"2.0","id":null,"method":"n"}', Notification("n")),
    ],
)
def test_messages_are_read_and_harmless_slips_forgiven(text: str, expected: Any) -> None:
    assert one(text) == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Server listening on stdio", "not JSON"),
        ("", "not JSON"),
        ("5", "not a JSON-RPC message"),
        ("null", "not a JSON-RPC message"),
        ("[]", "not a JSON-RPC message"),
        ("{}", "not a JSON-RPC message"),
        ('{"level":30,"msg":"x"}', "not a JSON-RPC message"),
        ('{"level":50,"error":"boom"}', "not a JSON-RPC message"),
        ('{"method":"GET","url":"/","id":"r-1"}', "not a JSON-RPC message"),
        ('{"jsonrpc":"2.0","id":1}', "not a JSON-RPC message"),
        ('{"jsonrpc":"2.0","id":1,"method":5,"result":{}}', "not a JSON-RPC message"),
        ('{"jsonrpc":"2.0","id":1,"result":NaN}', "not JSON"),
        ('{"jsonrpc":"2.0","id":1,"result":[-Infinity]}', "not JSON"),
        ('{"jsonrpc":"2.0",', "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"jsonrpc":"2.0","id":1,"result":[' + "{}," * 1_000_000 + "0]}", "arrays and objects"),
    ],
)
def test_what_is_no_message_is_foreign_with_the_reason(text: str, reason: str) -> None:
    message = one(text)
    assert isinstance(message, Foreign) and reason in message.reason and text.startswith(message.text)


def test_a_batch_is_taken_apart() -> None:
    messages = decode(b'[{"jsonrpc":"2.0","id":1,"result":1}, 5, {"jsonrpc":"2.0","method":"n"}]')
    assert [type(message) for message in messages] == [Response, Foreign, Notification]


@given(st.text(max_size=20), JSON.filter(lambda value: json.dumps(value, allow_nan=True).find("N") < 0))
@settings(max_examples=100, deadline=None)
def test_what_is_sent_is_one_line_of_ascii_and_is_read_back(text: str, value: Any) -> None:
    for data in (
        encode_request(7, "m", {"x": text, "y": value}),
        encode_notification("m", {"x": text}),
        encode_result("i", {"x": text}),
        encode_error(3, -1, text),
    ):
        assert data.isascii() and b"\n" not in data and b"\r" not in data
        assert json.loads(data)["jsonrpc"] == "2.0"
    assert one(encode_request(7, "m", {"x": text}).decode()) == Request(7, "m", {"x": text})


def test_empty_params_are_left_out() -> None:
    assert json.loads(encode_request(1, "m", {})) == {"jsonrpc": "2.0", "id": 1, "method": "m"}
    assert json.loads(encode_notification("m")) == {"jsonrpc": "2.0", "method": "m"}
