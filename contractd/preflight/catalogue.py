"""Every rule, in one table. Its page (what, why, example, what to do) is ``pages_text/<id>.md``.

Severity None: earned case by case; the page says how. Ids are never used again for something else.
"""

from __future__ import annotations

from contractd.preflight.model import Rule, Severity


def _rule(rule_id: str, name: str, severity: Severity | None, summary: str, *, undetermined: bool = False) -> Rule:
    return Rule(rule_id, name, severity, summary, undetermined)


def _drift(rule_id: str, name: str, severity: Severity | None, summary: str, *, undetermined: bool = False) -> Rule:
    return Rule(rule_id, name, severity, summary, undetermined, "diff")


RULES: tuple[Rule, ...] = (
    _rule("CTD101", "wrong-top-level-key", "high", "Servers stand under a key that this runtime does not read."),
    _rule("CTD102", "ignored-key", None, "The runtime ignores a key of its configuration."),
    _rule("CTD103", "server-entry-invalid", "high", "A server's entry can't be used as it is written."),
    _rule("CTD104", "transport-mismatch", "high", "The entry makes the runtime speak another transport than meant."),
    _rule("CTD105", "command-not-found", "high", "A server's program is not where the runtime would look for it."),
    _rule("CTD106", "duplicate-name", "medium", "Two servers have one name, and one of them is lost."),
    _rule("CTD107", "plain-text-secret", None, "A credential stands in the configuration in plain text."),
    _rule("CTD108", "unset-variable", "medium", "A variable used in the configuration is not set."),
    _rule("CTD109", "literal-variable", None, "Something written like a variable reaches the server as it is."),
    _rule("CTD110", "variable-not-passed", None, "A variable that is set here does not reach the server."),
    _rule("CTD111", "syntax-not-confirmed", "low", "A liberty with JSON of which nobody knows whether it is read."),
    _rule("CTD112", "gated-server", None, "The runtime reads the server, yet may never start it."),
    _rule("CTD113", "not-awaited", None, "The runtime does not wait for the server before the first request."),
    _rule("CTD114", "fatal-server", None, "If this server does not come up, the whole agent does not."),
    _rule("CTD115", "no-servers", "info", "No server is configured, so nothing could be checked.", undetermined=True),
    _rule(
        "CTD116",
        "runtime-not-recognised",
        "info",
        "Nothing tells which agent runtime the file is for.",
        undetermined=True,
    ),
    _rule("CTD117", "value-not-usable", None, "A value is not of the kind the runtime expects."),
    _rule("CTD118", "prompted-variable", "info", "A value that the runtime would ask a person for.", undetermined=True),
    _rule("CTD119", "unused-suppression", "info", "A suppression matches no finding."),
    _rule("CTD201", "provider-failed", "high", "A server could not be started or reached, or broke off."),
    _rule("CTD202", "provider-timeout", "high", "A server did not list its tools within its budget."),
    _rule("CTD203", "list-failed", "high", "A server is up, and its list of tools can't be had or read."),
    _rule("CTD204", "expected-tool-missing", "high", "A tool this session must have is not offered."),
    _rule("CTD205", "foreign-output", "low", "A server writes to stdout what is no protocol message."),
    _rule("CTD206", "unauthorized", None, "A server refuses the credentials, or wants some."),
    _rule(
        "CTD207", "not-contacted", "info", "A server was not contacted, so nothing is known of it.", undetermined=True
    ),
    _rule("CTD208", "endless-list", "medium", "A server's list of tools goes round in circles."),
    _rule("CTD209", "no-tools", None, "A server is up, and no tool of it is left."),
    _rule("CTD210", "hard-to-stop", "info", "A server does not end when its stdin is closed."),
    _rule("CTD301", "builtin-shadowing", None, "A tool's own name is a built-in's: a call of it lands there."),
    _rule("CTD302", "provider-collision", None, "Tools of one name in two servers have one runtime name."),
    _rule("CTD303", "collision-after-naming", None, "Tools of different names have one runtime name."),
    _rule("CTD304", "look-alike-name", None, "Two names differ by so little that one passes for the other."),
    _rule("CTD305", "name-not-accepted", None, "A name that the runtime drops or a provider of models refuses."),
    _rule("CTD306", "builtin-collision", None, "A tool's runtime name is a built-in's."),
    _rule("CTD307", "builtins-unknown", "info", "The runtime's own tools are not known.", undetermined=True),
    _rule("CTD308", "never-visible", None, "The model never sees, or may never see, the tools of a server that is up."),
    _rule("CTD309", "deferred-tools", "info", "The model must search before it sees the tools of a server."),
    _rule("CTD310", "ambiguous-bare-name", "info", "Several servers have a tool of this name."),
    _rule("CTD311", "filter-without-match", None, "An include or exclude list names a tool that is not offered."),
    _rule("CTD312", "declaration-without-match", "low", "contractd.toml declares something of no tool there is."),
    _rule(
        "CTD401", "unsupported-protocol", "high", "A server shares no protocol version with contractd or this runtime."
    ),
    _rule("CTD402", "unsupported-schema-version", "high", "A manifest has a format version contractd does not read."),
    _rule("CTD403", "unsupported-dialect", "medium", "A schema names a JSON Schema dialect that is not known."),
    _rule("CTD404", "invalid-schema", "medium", "A tool's definition is not valid; the tool is quarantined alone."),
    _rule(
        "CTD405", "parameters-lost", "high", "A tool's input schema is nothing but $schema: its parameters are lost."
    ),
    _rule("CTD406", "list-lost", "high", "One bad tool or answer makes this runtime drop every tool of the server."),
    _rule("CTD407", "off-schema", None, "A server's answers are not as MCP's schema says."),
    _drift("CTD410", "breaking-drift", "high", "A call that was valid is refused now, or a result breaks its promise."),
    _drift("CTD411", "compatible-drift", None, "A tool's contract changed, and calls and results keep to the old one."),
    _drift("CTD412", "description-drift", "low", "Texts changed: the model may choose and fill in differently."),
    _drift("CTD413", "annotation-drift", None, "What the server says of a call's effect changed."),
    _drift("CTD414", "tool-removed", "high", "A tool is no longer offered."),
    _drift(
        "CTD415",
        "undetermined-drift",
        "info",
        "Whether a changed tool breaks its callers could not be determined.",
        undetermined=True,
    ),
    _drift("CTD416", "tool-renamed", "high", "A tool is gone, and one that is probably the same is there."),
    _rule("CTD417", "tool-not-locked", "medium", "A tool is offered that the lock does not hold: nobody accepted it."),
    _rule("CTD418", "lock-unused", "info", "The lock holds a server that is not configured."),
)

BY_ID = {rule.id: rule for rule in RULES}
BY_NAME = {rule.name: rule for rule in RULES}


def rule(name: str) -> Rule:
    """The rule of this name."""
    return BY_NAME[name]
