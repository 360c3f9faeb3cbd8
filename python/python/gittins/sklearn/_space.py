"""What is searched: a space of the engine, and what its values mean to an estimator.

Values that the engine does not know, such as functions and estimators, are called by their place in
their list. So are numbers of a list, in rising order: those of `[0.01, 1, 100]` are as far apart as
those of `[1, 2, 3]`.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sklearn.base import clone  # type: ignore[import-untyped]

from gittins._check import hint, plain, text, word
from gittins.errors import InvalidSettingError
from gittins.space import Space

if TYPE_CHECKING:
    from collections.abc import Iterable

#: A distribution without bounds is searched between these of its quantiles.
QUANTILES = (1e-3, 1.0 - 1e-3)
#: What scikit-optimize calls scales.
PRIORS = ("uniform", "log-uniform")


@dataclass(frozen=True)
class Searched:
    """A space, what has one value only, and how values of the space are read.

    Attributes:
        space: What varies.
        fixed: The parameters with one value.
        readers: From a value of the space to one of the estimator, where they differ.
        is_single: Whether nothing varies, so that there is one setting.
    """

    space: Space
    fixed: dict[str, Any] = field(default_factory=dict)
    readers: dict[str, Callable[[Any], Any]] = field(default_factory=dict)
    is_single: bool = False

    def params(self, ask: Mapping[str, Any]) -> dict[str, Any]:
        """Return the parameters of an estimator for the values that exist at a point."""
        found = {
            name: self.readers[name](value) if name in self.readers else value
            for name, value in ask.items()
        }
        return {**found, **self.fixed}


def searched(given: Any) -> Searched:
    """Return what is searched.

    Args:
        given: A `Space`, or a dictionary from the names of parameters to what they may be.

    Raises:
        InvalidSettingError: It is neither, or a parameter makes no sense. The message names it.
    """
    if isinstance(given, Space):
        if not given.names:
            message = "space: expected at least one parameter, got none"
            raise InvalidSettingError(message)
        return Searched(given)
    if isinstance(given, Sequence) and not isinstance(given, str):
        if len(given) != 1:
            message = (
                f"space: expected one dictionary, got a list of {len(given)}; for parts that have "
                "parameters of their own, give a gittins.Space with conditions (when=...)"
            )
            raise InvalidSettingError(message)
        given = given[0]
    if not isinstance(given, Mapping) or not given:
        message = (
            "space: expected a gittins.Space, or a dictionary like {'C': (1e-3, 1e3, "
            f"'log-uniform')}}, got {given!r}"
        )
        raise InvalidSettingError(message)
    found = Searched(Space())
    for name, what in given.items():
        _add(found, text("space: the name of a parameter", name), what)
    if found.space.names:
        return found
    # The engine needs something that varies. So a value stands there twice, and is asked for once.
    name, value = found.fixed.popitem()
    _add_values(found, f"space, {name!r}", name, [value, value])
    return replace(found, is_single=True)


def check_names(found: Searched, estimator: Any) -> None:
    """Refuse a parameter that the estimator does not have.

    What lies below a parameter that is searched itself, such as `step__C` of a searched `step`, is
    known only once that is set.

    Raises:
        InvalidSettingError: The message names the parameter, and the nearest that there is.
    """
    known = list(estimator.get_params(deep=True))
    names = [*found.space.names, *found.fixed]
    for name in names:
        parts = name.split("__")
        above = ["__".join(parts[:count]) for count in range(1, len(parts))]
        is_below = any(parent in names for parent in above)
        if name not in known and not is_below and not _takes(estimator, name):
            # A pipeline has a name for each step, and for each parameter of each.
            below = [key for key in known if key.endswith(f"__{name}")]
            shown = [key for key in known if key.count("__") == name.count("__")] or known
            message = (
                f"space: {type(estimator).__name__} has no parameter {name!r}; there are "
                f"{shown}{hint(below[0] if below else name, known)}"
            )
            raise InvalidSettingError(message)


def _takes(estimator: Any, name: str) -> bool:
    """Return whether an estimator takes a parameter, even if it does not tell of it."""
    try:
        clone(estimator).set_params(**{name: None})
    except (AttributeError, TypeError, ValueError):
        return False
    return True


def _add(found: Searched, name: str, what: Any) -> None:
    """Add a parameter by any of the ways in which one may be given."""
    place = f"space, {name!r}"
    if isinstance(what, tuple) and _is_range(what):
        _add_range(found, place, name, what)
    elif _has(what, "rvs", "dist", "support"):
        _add_distribution(found, name, what)
    elif _has(what, "choices") or _has(what, "categories"):
        # Optuna has choices, and scikit-optimize categories.
        values = what.choices if hasattr(what, "choices") else what.categories
        _add_values(found, place, name, values)
    elif _has(what, "low", "high"):
        _add_dimension(found, place, name, what)
    elif _is_list(what):
        _add_values(found, place, name, what)
    else:
        message = (
            f"{place}: expected a list of values, a tuple (low, high) or (low, high, "
            f"'log-uniform'), or a distribution of SciPy, got {what!r}; a single value is in a list"
        )
        raise InvalidSettingError(message)


def _has(what: Any, *names: str) -> bool:
    return not isinstance(what, type) and all(hasattr(what, name) for name in names)


def _is_list(what: Any) -> bool:
    is_array = hasattr(what, "__array__") and getattr(what, "ndim", 0) > 0
    return is_array or (isinstance(what, Sequence) and not isinstance(what, (str, bytes)))


def _is_number(value: Any) -> bool:
    found = plain(value)
    return isinstance(found, numbers.Real) and not isinstance(found, bool)


def _is_whole(value: Any) -> bool:
    return isinstance(plain(value), numbers.Integral)


def _is_range(given: tuple[Any, ...]) -> bool:
    """Return whether a tuple is two bounds, perhaps with the word for a scale and its base."""
    are_bounds = len(given) >= 2 and all(map(_is_number, given[:2]))
    return are_bounds and (len(given) == 2 or (len(given) <= 4 and isinstance(given[2], str)))


def _add_range(found: Searched, place: str, name: str, given: tuple[Any, ...]) -> None:
    low, high, prior = plain(given[0]), plain(given[1]), given[2] if len(given) > 2 else "uniform"
    is_log = word(f"{place}: the scale", prior, PRIORS) == "log-uniform"
    _add_number(found, name, low, high, is_log=is_log, is_whole=_is_whole(low) and _is_whole(high))


def _add_number(
    found: Searched, name: str, low: Any, high: Any, *, is_log: bool, is_whole: bool
) -> None:
    if low == high:
        found.fixed[name] = low if is_whole else float(low)
        return
    kind = ("log_" if is_log else "") + ("int" if is_whole else "float")
    getattr(found.space, kind)(name, low, high)


def _add_values(found: Searched, place: str, name: str, given: Iterable[Any]) -> None:
    """Add a parameter by its values, which are called by their places."""
    values = list(given)
    if not values:
        message = f"{place}: expected a value at least, got {given!r}"
        raise InvalidSettingError(message)
    if len(values) == 1:
        found.fixed[name] = values[0]
        return
    # A NaN has no place in an order.
    if all(_is_number(value) and value == value for value in values):
        values = sorted(values)
        found.space.int(name, 0, len(values) - 1)
    else:
        found.space.choice(name, range(len(values)))
    found.readers[name] = values.__getitem__


def _add_distribution(found: Searched, name: str, what: Any) -> None:
    """Add a parameter by a distribution of SciPy: on its own scale, or by its quantiles."""
    kind, (low, high) = what.dist.name, map(plain, what.support())
    is_whole = hasattr(what.dist, "pmf")
    if is_whole:
        ends = [plain(what.ppf(share)) for share in QUANTILES]
        low, high = (
            int(bound if math.isfinite(bound) else end) for bound, end in zip((low, high), ends)
        )
        _add_number(found, name, low, high, is_log=False, is_whole=True)
    elif kind in ("uniform", "loguniform", "reciprocal"):
        is_log = kind != "uniform"
        _add_number(found, name, low, high, is_log=is_log, is_whole=False)
    else:
        found.space.float(name, *QUANTILES)
        found.readers[name] = lambda share: float(what.ppf(share))


def _add_dimension(found: Searched, place: str, name: str, what: Any) -> None:
    """Add a parameter by a distribution of Optuna or a dimension of scikit-optimize."""
    low, high, step = what.low, what.high, getattr(what, "step", None)
    prior = getattr(what, "prior", None) or "uniform"
    is_log = bool(getattr(what, "log", False)) or word(place, prior, PRIORS) == "log-uniform"
    is_whole = type(what).__name__.startswith("Int")
    if step is None or (is_whole and step == 1) or is_log:
        _add_number(found, name, low, high, is_log=is_log, is_whole=is_whole)
    elif low == high:
        found.fixed[name] = low
    else:
        found.space.steps(name, low, high, step)
        if is_whole:
            found.readers[name] = round
