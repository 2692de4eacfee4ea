"""Configuration text, with a line and a column for everything in it.

Comes in: bytes of a JSON, JSONC, TOML or YAML file. Goes out: a ``Document``: plain values, and for each JSON
pointer the place of the key and of the value, plus what strict JSON would not have allowed (``Quirk``).
Must not know: what any key means. Pure: reads no file itself.
"""

from contractd.documents.document import Document, Mark, Quirk, pointer_join
from contractd.documents.parse import MAX_BYTES, parse
from contractd.documents.toml_text import toml_key, toml_string

__all__ = ["MAX_BYTES", "Document", "Mark", "Quirk", "parse", "pointer_join", "toml_key", "toml_string"]
