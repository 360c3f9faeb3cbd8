"""One function to minimize."""

import dataclasses


@dataclasses.dataclass
class Problem:
    """One function to minimize. `evaluate` gives what is told, the true value and the cost.

    Judged is the true value less `optimum`, where that is known. A run ends after `budget`
    evaluations, or as soon as it has paid `money`.
    """

    id: str
    parameters: list
    evaluate: object
    budget: int
    optimum: float = 0.0
    money: float | None = None
    # What a unit of money must buy, for runs that are to say when they would stop.
    price: float | None = None
    noisy: bool = False
    # Rows of a finite set: `names`, `rows` and the names of the columns on a log scale.
    table: dict | None = None
    # What is known to hold for the values, as a space has it.
    constraints: list | None = None
    # The outcome in the middle of the box, by which the report sees that all played the same.
    probe: float | None = None
