"""What the user declares: ``contractd.toml``.

Comes in: documents. Goes out: a frozen ``Policy`` and, for every value in it, the place it was written. Publishes its
own JSON Schema. Must not know: runtimes' configuration formats, or what the values will decide. Pure.
"""

from contractd.policy.load import Loaded, config_schema, load_policy
from contractd.policy.models import Policy, ProviderPolicy, Suppression, ToolPolicy

__all__ = ["Loaded", "Policy", "ProviderPolicy", "Suppression", "ToolPolicy", "config_schema", "load_policy"]
