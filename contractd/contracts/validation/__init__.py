"""May a call be sent, may a result be read: values against schemas, in bounded time, with reasons for people.

Comes in: a schema or a contract, and a value. Goes out: ``Validation`` values; ``SchemaError`` for a schema that no
value can be checked against. Nothing is fetched, and no value that was sent stands in any message.
"""

from contractd.contracts.validation.calls import check_arguments, check_result
from contractd.contracts.validation.result import Problem, Validation
from contractd.contracts.validation.validator import Validator, compile_schema

__all__ = ["Problem", "Validation", "Validator", "check_arguments", "check_result", "compile_schema"]
