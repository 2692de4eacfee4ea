"""The public surface is decided, not grown."""

from __future__ import annotations

import contractd


def test_the_public_names_are_these() -> None:
    assert sorted(contractd.__all__) == [
        "ConfigError",
        "Contract",
        "ContractdError",
        "Finding",
        "Manifest",
        "Report",
        "Request",
        "UsageError",
        "__version__",
        "run_preflight",
    ]


def test_each_public_name_can_be_had() -> None:
    for name in contractd.__all__:
        assert getattr(contractd, name) is not None
