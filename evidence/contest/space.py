"""Parameters: their kinds, the conditions under which they are there, their places in [0, 1]."""

import dataclasses
import math


@dataclasses.dataclass(frozen=True)
class Parameter:
    """One axis.

    `float`, `log_float`, `int`, `log_int` and `steps` have bounds, the last a step too. `choice`,
    `ordinal` and `numbers` have options. A `flag` is true or false. Each condition of `when` is the
    name of an earlier parameter, one of `is`, `at_least` and `at_most`, and what to hold the value
    against, for `is` a list. Where one does not hold, the parameter is absent.
    """

    name: str
    kind: str
    low: float = 0.0
    high: float = 1.0
    step: float = 1.0
    options: tuple = ()
    when: tuple = ()

    def value(self, unit):
        """The value at a place in [0, 1]."""
        if self.kind == "log_float":
            return math.exp(math.log(self.low) + unit * math.log(self.high / self.low))
        if self.kind == "log_int":
            low, high = self.low - 0.5, self.high + 0.5
            return min(max(round(low * (high / low) ** unit), self.low), self.high)
        if self.kind == "int":
            return min(int(self.low + unit * (self.high - self.low + 1)), int(self.high))
        if self.kind == "float":
            return self.low + unit * (self.high - self.low)
        return self.values()[min(int(unit * len(self.values())), len(self.values()) - 1)]

    def unit(self, value):
        """The place in [0, 1] of a value; that of a whole number is the middle of its share."""
        if self.kind == "log_float":
            return math.log(value / self.low) / math.log(self.high / self.low)
        if self.kind == "log_int":
            low, high = self.low - 0.5, self.high + 0.5
            return math.log(value / low) / math.log(high / low)
        if self.kind == "int":
            return (value - self.low + 0.5) / (self.high - self.low + 1)
        if self.kind == "float":
            return (value - self.low) / (self.high - self.low)
        return (self.values().index(value) + 0.5) / len(self.values())

    def values(self):
        """All values of a parameter that has options, of a flag, and of one with steps."""
        if self.kind == "steps":
            count = round((self.high - self.low) / self.step) + 1
            return [self.low + k * self.step for k in range(count)]
        return [False, True] if self.kind == "flag" else list(self.options)

    def present(self, given):
        """Whether it is there, by the values by name of the parameters before it."""
        return all(satisfied(given[name], test, bound) for name, test, bound in self.when)

    def typed(self, value):
        """The value of this parameter that is meant: 3 by 3.0, say. There may be none."""
        if self.options or self.kind == "flag":
            same = [option for option in self.values() if value == option
                    and isinstance(value, bool) == isinstance(option, bool)]
            return same[0] if same else None
        if not self.low - 1e-9 <= value <= self.high * (1 + 1e-9) + 1e-9:
            return None
        if self.kind in ("int", "log_int"):
            return int(value) if value == int(value) else None
        return value

    def description(self):
        """As the program `serve` wants it."""
        kind = {self.kind: {"low": self.low, "high": self.high}}
        if self.kind == "flag":
            kind = "flag"
        elif self.options:
            name = "values" if self.kind == "numbers" else "names"
            kind = {self.kind: {name: list(self.options)}}
        elif self.kind == "steps":
            kind["steps"]["step"] = self.step
        found = {"name": self.name, "kind": kind}
        if self.when:
            found["when"] = [{"parameter": name, test: bound} for name, test, bound in self.when]
        return found


def satisfied(value, test, bound):
    """What depends on an absent parameter is absent too."""
    if value is None:
        return False
    if test == "is":
        return value in bound
    return value >= bound if test == "at_least" else value <= bound


def choice(name, *options, when=()):
    return Parameter(name, "choice", options=options, when=when)


def numbers(name, *options, when=()):
    return Parameter(name, "numbers", options=options, when=when)


def flag(name):
    return Parameter(name, "flag")


def fill(parameters, value):
    """A value for each parameter that is there, in their order, and `None` for the others."""
    given = {}
    for place, p in enumerate(parameters):
        given[p.name] = value(place, p) if p.present(given) else None
    return list(given.values())


def checked(parameters, values):
    """The values that are meant; what is not in the space is refused."""
    given = {}
    for p, value in zip(parameters, values, strict=True):
        if (value is not None) != p.present(given):
            raise ValueError(f"{p.name} = {value}, but its conditions say otherwise")
        given[p.name] = None if value is None else p.typed(value)
        if value is not None and given[p.name] is None:
            raise ValueError(f"{p.name} = {value} is not in the space")
    return list(given.values())
