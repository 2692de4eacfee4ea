"""contractd: the runtime tool-contract registry for AI agents."""

from contractd._version import __version__

__all__ = ["__version__"]
