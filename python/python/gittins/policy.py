"""What chooses the points of a study.

Prices are in units of the outcome per unit of cost. A policy that needs no setting may be given by
its name: `policy="log_ei"`. One that needs a price may be too if that is given: `price=1e-3`.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from gittins._check import above, number, whole
from gittins._words import answer, meant
from gittins.errors import InvalidSettingError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "Policy",
    "PolicyName",
    "budgeted_lookahead",
    "ei",
    "ei_puc_cc",
    "estimation",
    "gittins",
    "gittins_adaptive",
    "gittins_decay",
    "gittins_decay_from_budget",
    "knowledge_gradient",
    "log_ei",
    "log_eipc",
    "log_eipc_cooled",
    "log_pi",
    "max_value_entropy",
    "multi_step_lookahead",
    "thompson",
    "ucb",
]


#: The names of the policies that need no setting.
PolicyName = Literal[
    "gittins_adaptive",
    "log_eipc",
    "log_ei",
    "ei",
    "log_pi",
    "ucb",
    "thompson",
    "estimation",
    "max_value_entropy",
    "knowledge_gradient",
    "multi_step_lookahead",
]


@dataclass(frozen=True)
class Policy:
    """A policy by its name and its settings. The functions of this module make them."""

    name: str
    settings: dict[str, Any] = field(default_factory=dict)

    def to_data(self) -> dict[str, Any]:
        """Return the policy as data."""
        return {"name": self.name, **self.settings}


def gittins(price: float) -> Policy:
    """Return the Gittins index at a price. It stops once no index beats the best outcome.

    Xie et al., "Cost-aware Bayesian Optimization via the Pandora's Box Gittins Index", 2024.
    """
    return Policy("gittins", {"price": _above("gittins: price", price)})


def gittins_decay(price: float, factor: float = 2.0) -> Policy:
    """Return the Gittins index with a price that is divided whenever the run would have ended."""
    price, factor = (
        _above("gittins_decay: price", price),
        _above("gittins_decay: factor", factor, 1.0),
    )
    return Policy("gittins_decay", {"price": price, "factor": factor})


def gittins_decay_from_budget(budget: float, factor: float = 2.0) -> Policy:
    """Return the falling price that starts where a run is expected to cost at most `budget`."""
    name = "gittins_decay_from_budget"
    budget, factor = _above(f"{name}: budget", budget), _above(f"{name}: factor", factor, 1.0)
    return Policy(name, {"budget": budget, "factor": factor})


def gittins_adaptive() -> Policy:
    """Return the Gittins index at half the best expected improvement per cost."""
    return Policy("gittins_adaptive")


def log_eipc() -> Policy:
    """Return expected improvement per cost, on the log scale. It needs no price and never stops."""
    return Policy("log_eipc")


def log_ei() -> Policy:
    """Return expected improvement, on the log scale. It ignores the cost."""
    return Policy("log_ei")


def ei() -> Policy:
    """Return expected improvement. It ignores the cost."""
    return Policy("ei")


def log_pi() -> Policy:
    """Return the probability of improvement, on the log scale. It ignores the cost."""
    return Policy("log_pi")


def log_eipc_cooled(budget: float) -> Policy:
    """Return expected improvement per cost that looks less at the cost as a budget is used up."""
    return Policy("log_eipc_cooled", {"budget": _above("log_eipc_cooled: budget", budget)})


def ei_puc_cc(budget: float) -> Policy:
    """Return EI-PUC-CC, which is `log_eipc_cooled` with a liking for uncertain costs."""
    return Policy("ei_puc_cc", {"budget": _above("ei_puc_cc: budget", budget)})


def ucb() -> Policy:
    """Return the upper confidence bound. It ignores the cost."""
    return Policy("ucb")


def thompson() -> Policy:
    """Return Thompson sampling. It ignores the cost."""
    return Policy("thompson")


def estimation(points: int = 2048) -> Policy:
    """Return the likeliest place of the maximum, which is estimated over some points.

    It ignores the cost.
    """
    return Policy("estimation", {"points": whole("policy estimation: points", points, least=1)})


def max_value_entropy(samples: int = 10, exponent: float = 0.0) -> Policy:
    """Return max-value entropy search. The information is divided by a power of the cost."""
    name = "max_value_entropy"
    settings = {
        "samples": whole(f"policy {name}: samples", samples, least=1),
        "exponent": float(number(f"policy {name}: exponent", exponent)),
    }
    return Policy(name, settings)


def knowledge_gradient(fantasies: int = 64) -> Policy:
    """Return the knowledge gradient. It ignores the cost."""
    count = whole("policy knowledge_gradient: fantasies", fantasies, least=2)
    return Policy("knowledge_gradient", {"fantasies": count})


def multi_step_lookahead(steps: int = 4, fantasies: int = 1) -> Policy:
    """Return plans of several trials. They ignore the cost."""
    return Policy("multi_step_lookahead", _plan("multi_step_lookahead", steps, fantasies))


def budgeted_lookahead(budget: float, steps: int = 4, fantasies: int = 1) -> Policy:
    """Return plans of several trials within the rest of a budget."""
    name = "budgeted_lookahead"
    settings = {"budget": _above(f"{name}: budget", budget), **_plan(name, steps, fantasies)}
    return Policy(name, settings)


def _plan(name: str, steps: int, fantasies: int) -> dict[str, Any]:
    numbers = {"steps": steps, "fantasies": fantasies}
    return {key: whole(f"policy {name}: {key}", value, least=1) for key, value in numbers.items()}


#: What makes each policy, by its name.
_MAKERS: dict[str, Callable[..., Policy]] = {
    name: made
    for name, made in list(globals().items())
    if name in __all__ and inspect.isfunction(made)
}


def checked(policy: Any, what: str = "policy") -> Policy:
    """Return a policy, also if it is given by its name.

    Raises:
        InvalidSettingError: There is no such policy, or it lacks a setting. The message says which.
    """
    if isinstance(policy, Policy):
        maker = _known(what, policy.name)
        try:
            return maker(**policy.settings)
        except TypeError as error:
            message = f"{what} {policy.name!r}: {error}; make it by {_call(policy.name)}"
            raise InvalidSettingError(message) from error
    if isinstance(policy, str):
        maker = _known(what, policy)
        needed = _needed(policy)
        if needed:
            message = f"{what} {policy!r} needs a {' and a '.join(needed)}: {_call(policy)}"
            raise InvalidSettingError(message)
        return maker()
    name = getattr(policy, "__name__", None)
    if callable(policy) and _MAKERS.get(str(name)) is policy:
        message = f"{what}: expected a policy, got the function that makes one: call {_call(name)}"
        raise InvalidSettingError(message)
    message = f"{what}: expected a policy of gittins.policy or the name of one, got {policy!r}"
    raise InvalidSettingError(message)


def priced(policy: Any, price: Any, what: str = "price") -> Policy:
    """Return the policy at a price: the Gittins index, unless another is named that has one.

    Raises:
        InvalidSettingError: The price is none, or there is a policy that says what chooses.
    """
    if policy is None:
        return gittins(above(what, price, 0.0))
    if (
        isinstance(policy, str)
        and "price" in inspect.signature(_known("policy", policy)).parameters
    ):
        return _MAKERS[policy](price=above(what, price, 0.0))
    got = f"both: {what}={price!r} and policy={policy!r}"
    message = f"{what} and policy: expected one of them, got {got}"
    raise InvalidSettingError(message)


if not TYPE_CHECKING:
    # A checker of types would take any word then.
    def __getattr__(name: str) -> Any:
        """Raise what answers a policy that is not there."""
        raise answer("gittins.policy", name, __all__)


def _known(what: str, name: str) -> Callable[..., Policy]:
    if name not in _MAKERS:
        known = list(_MAKERS)
        message = f"{what}: no policy is named {name!r}; there are {known}{meant(name, known)}"
        raise InvalidSettingError(message)
    return _MAKERS[name]


def _needed(name: str) -> list[str]:
    settings = inspect.signature(_MAKERS[name]).parameters.values()
    return [setting.name for setting in settings if setting.default is inspect.Parameter.empty]


def _call(name: Any) -> str:
    settings = ", ".join(f"{setting}=..." for setting in _needed(name))
    return f"gittins.policy.{name}({settings})"


def _above(what: str, value: Any, bound: float = 0.0) -> float:
    return above(f"policy {what}", value, bound)
