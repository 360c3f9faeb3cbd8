"""The exceptions of this package: one for each kind of error of the engine, named by it.

Each names its culprit, and is a `GittinsError`. Where Python has an exception of its own for the
same thing, the class is one of these too.
"""

from __future__ import annotations

__all__ = [
    "ContradictionError",
    "DataError",
    "DeviceError",
    "DimensionError",
    "DuplicateTrialError",
    "EmptyError",
    "ExhaustedError",
    "GittinsError",
    "InvalidSettingError",
    "MissingCostError",
    "NonFiniteError",
    "NonPositiveCostError",
    "NotPositiveDefiniteError",
    "OutOfBoundsError",
    "StorageError",
    "UnknownParameterError",
    "UnknownTrialError",
]


class GittinsError(Exception):
    """Any error of the engine."""


class DimensionError(GittinsError, ValueError):
    """Something has another length than the space expects."""


class NonFiniteError(GittinsError, ValueError):
    """A number that must be finite is NaN or infinite."""


class NonPositiveCostError(GittinsError, ValueError):
    """A cost is negative, or zero without a floor."""


class MissingCostError(GittinsError, ValueError):
    """Costs are learned, and a complete trial was told without one."""


class OutOfBoundsError(GittinsError, ValueError):
    """A value lies outside the bounds of its parameter."""


class UnknownParameterError(GittinsError, KeyError):
    """No parameter has this name, or two have it."""

    def __str__(self) -> str:
        """Return the message as it is. A `KeyError` would quote it."""
        return str(self.args[0]) if self.args else ""


class UnknownTrialError(GittinsError, LookupError):
    """No trial has this identifier."""


class DuplicateTrialError(GittinsError, ValueError):
    """The trial was told or withdrawn before."""


class ContradictionError(GittinsError, ValueError):
    """What was told contradicts what was asked for."""


class EmptyError(GittinsError, ValueError):
    """There is nothing to work on: no parameter, no outcome, no cost."""


class InvalidSettingError(GittinsError, ValueError):
    """A setting makes no sense."""


class ExhaustedError(GittinsError):
    """Every setting was evaluated or is pending."""


class NotPositiveDefiniteError(GittinsError, ArithmeticError):
    """A covariance matrix could not be factored."""


class DataError(GittinsError, ValueError):
    """A file does not have the format that was expected."""


class StorageError(GittinsError, OSError):
    """The file of a study cannot be read or written."""


class DeviceError(GittinsError, RuntimeError):
    """No device matches the request, or it gives wrong answers."""
