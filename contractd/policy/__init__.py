"""What the user declares: ``contractd.toml``, and the uses file of an agent.

Comes in: documents. Goes out: a frozen ``Policy`` and, for every value in it, the place it was written. Publishes its
own JSON Schema. Must not know: runtimes' configuration formats, or what the values will decide. Pure.
"""

from contractd.policy.load import Loaded, config_schema, load_policy
from contractd.policy.models import Policy, ProviderPolicy, Suppression, ToolPolicy
from contractd.policy.uses import LoadedUses, load_uses, uses_schema
from contractd.policy.uses_text import uses_text

__all__ = [
    "Loaded",
    "LoadedUses",
    "Policy",
    "ProviderPolicy",
    "Suppression",
    "ToolPolicy",
    "config_schema",
    "load_policy",
    "load_uses",
    "uses_schema",
    "uses_text",
]
