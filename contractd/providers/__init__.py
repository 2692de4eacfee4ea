"""Whatever offers tools, asked once for its manifest.

Comes in: a ``ProviderSpec`` (what a configuration says). Goes out: a ``Manifest`` with how it was reached, or a
``ProviderError`` with the cause. One file per kind: ``mcp.py``, ``manifest.py`` (URL or file); ``base.py`` has the
values. Must not know: agent runtimes, rules, reports.
"""

from contractd.providers.base import Fetched, Inherit, ProviderSpec, Transport

__all__ = ["Fetched", "Inherit", "ProviderSpec", "Transport"]
