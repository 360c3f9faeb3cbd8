"""What chooses the points of a study.

Prices are in units of the outcome per unit of cost.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = [
    "Policy",
    "gittins",
    "gittins_adaptive",
    "gittins_decay",
    "gittins_decay_from_budget",
    "knowledge_gradient",
    "log_ei",
    "log_eipc",
    "log_eipc_cooled",
    "max_value_entropy",
    "thompson",
    "ucb",
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
    return Policy("gittins", {"price": price})


def gittins_decay(price: float, factor: float = 2.0) -> Policy:
    """Return the Gittins index with a price that is divided whenever the run would have ended."""
    return Policy("gittins_decay", {"price": price, "factor": factor})


def gittins_decay_from_budget(budget: float, factor: float = 2.0) -> Policy:
    """Return the falling price that starts where a run is expected to cost at most `budget`."""
    return Policy("gittins_decay_from_budget", {"budget": budget, "factor": factor})


def gittins_adaptive() -> Policy:
    """Return the Gittins index at half the best expected improvement per cost."""
    return Policy("gittins_adaptive")


def log_eipc() -> Policy:
    """Return expected improvement per cost, on the log scale. It needs no price and never stops."""
    return Policy("log_eipc")


def log_ei() -> Policy:
    """Return expected improvement, on the log scale. It ignores the cost."""
    return Policy("log_ei")


def log_eipc_cooled(budget: float) -> Policy:
    """Return expected improvement per cost that looks less at the cost as a budget is used up."""
    return Policy("log_eipc_cooled", {"budget": budget})


def ucb() -> Policy:
    """Return the upper confidence bound."""
    return Policy("ucb")


def thompson() -> Policy:
    """Return Thompson sampling."""
    return Policy("thompson")


def max_value_entropy() -> Policy:
    """Return max-value entropy search."""
    return Policy("max_value_entropy")


def knowledge_gradient(fantasies: int = 64) -> Policy:
    """Return the knowledge gradient. It ignores the cost."""
    return Policy("knowledge_gradient", {"fantasies": fantasies})
