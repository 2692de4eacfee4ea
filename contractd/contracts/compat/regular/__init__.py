"""Sets of strings as regular languages, to compare what ``pattern``, lengths and enumerations of two schemas allow."""

from contractd.contracts.compat.regular.budget import Budget, NotRegular, TooBig
from contractd.contracts.compat.regular.language import Language

__all__ = ["Budget", "Language", "NotRegular", "TooBig"]
