# Made by scripts/stub of the sources in python/src.
"""
The engine. It may run without the interpreter's lock.
"""

from typing import Final, SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem

__all__ = [
    "LARGEST_LOG",
    "LARGEST_WHOLE",
    "SLACK",
    "Outcome",
    "Study",
    "__version__",
    "arrow_stream",
    "command",
    "error_classes",
    "price_of_rest",
    "quasi_random",
    "shares",
    "sheet_column",
    "sheet_rows",
    "tables",
    "usual_design",
    "warm_start",
]

LARGEST_LOG: Final[int]
LARGEST_WHOLE: Final[int]
SLACK: Final[float]
__version__: Final[str]

@final
class Outcome:
    """
    The result of a trial: an outcome, or that it failed or is infeasible.
    """
    def __new__(
        cls,
        /,
        outcome: SupportsFloat | SupportsIndex | None = None,
        *,
        cost: SupportsFloat | SupportsIndex | None = None,
        cost_later: bool = False,
        failed: bool = False,
        infeasible: bool = False,
        measured: dict[str, float] | None = None,
    ) -> Outcome: ...

@final
class Study:
    """
    A study. Any thread may call it, and calls wait for each other.
    """
    def __new__(cls, /, settings: str) -> Study:
        """
        A study with these settings, which are JSON.
        """
    def announce(
        self, /, point: SupportsGetItem[int, bool | SupportsIndex | SupportsFloat | str | None]
    ) -> int:
        """
        Takes a pending trial over. Returns its number.
        """
    def ask_for(
        self,
        /,
        count: SupportsIndex = 1,
        within: SupportsFloat | SupportsIndex | None = None,
        conditions: list[dict[str, object]] | None = None,
        jointly: bool = False,
        context: list[dict[str, object]] | None = None,
    ) -> list[
        tuple[
            int,
            list[bool | int | float | str | None],
            str,
            tuple[float, float, float | None] | str | None,
            float | None,
            float,
        ]
    ]:
        """
        The next points, each chosen given those before: within a limit of the expected cost, where
        conditions hold, improved together.
        """
    def best(
        self, /
    ) -> (
        tuple[
            int,
            list[bool | int | float | str | None],
            str,
            str,
            float | None,
            float | None,
            dict[str, float],
            list[tuple[float, float, float]],
        ]
        | None
    ):
        """
        The trial with the best outcome, if one is complete.
        """
    def best_report(self, /) -> tuple[float, float, float] | None:
        """
        In stages, the report that counts of the best trial.
        """
    def change_policy(self, /, named: str) -> None:
        """
        Chooses by another policy from now on, which is JSON.
        """
    def correct(self, /, trial: SupportsIndex, told: Outcome) -> None:
        """
        Replaces what was told of a trial.
        """
    def cost_unit(self, /) -> str | None:
        """
        The unit of cost, if it has one.
        """
    def counts(self, /) -> tuple[int, int]:
        """
        The number of all trials, and of the pending ones.
        """
    def direction(self, /) -> str:
        """
        Which outcomes are better.
        """
    def enter(
        self,
        /,
        point: SupportsGetItem[int, bool | SupportsIndex | SupportsFloat | str | None],
        told: Outcome,
    ) -> int:
        """
        Takes a trial over that was not asked for. Returns its number.
        """
    def forecast(
        self, /, trial: SupportsIndex
    ) -> tuple[float, float, float, float, float, bool] | None:
        """
        What a pending trial is expected to cost, if something is known of costs.
        """
    def forecast_end(
        self, /, trial: SupportsIndex
    ) -> tuple[float, float, float, float, str] | None:
        """
        What a trial in stages is expected to come to: mean and deviation of its end, the cost still
        to come, its index, and words.
        """
    def front(
        self, /
    ) -> list[
        tuple[
            int,
            list[bool | int | float | str | None],
            str,
            str,
            float | None,
            float | None,
            dict[str, float],
            list[tuple[float, float, float]],
        ]
    ]:
        """
        The trials of which no other is as good in every objective and better in one.
        """
    def goes_on(self, /, trial: SupportsIndex) -> bool:
        """
        Whether a trial that somebody else began should go on after its last report.
        """
    def has_stages(self, /) -> bool:
        """
        Whether its trials run in stages.
        """
    def lacks(self, /) -> tuple[dict[int, str], str | None]:
        """
        The trials of others in the file that the study has not, and why, by their numbers; and what
        the file must have had and lacks.
        """
    def money(self, /) -> tuple[float, float]:
        """
        What the suggested trials have cost, and what all have.
        """
    def note_choice(
        self,
        /,
        trial: SupportsIndex,
        choice: tuple[
            SupportsFloat | SupportsIndex,
            SupportsFloat | SupportsIndex,
            SupportsFloat | SupportsIndex | None,
        ]
        | str,
    ) -> None:
        """
        Notes how a trial was chosen that another study asked for.
        """
    def note_report(
        self,
        /,
        trial: SupportsIndex,
        progress: SupportsFloat | SupportsIndex,
        outcome: SupportsFloat | SupportsIndex,
        cost: SupportsFloat | SupportsIndex,
    ) -> None:
        """
        Takes what a trial says in stages, which goes on.
        """
    def note_running(self, /, trial: SupportsIndex, cost: SupportsFloat | SupportsIndex) -> None:
        """
        Notes what a pending trial has cost so far.
        """
    @staticmethod
    def open(path: str, settings: str | None = None, name: str | None = None) -> tuple[Study, str]:
        """
        A study in a file, by these settings or by those of the file, and its name there.
        """
    def order(self, /) -> list[int]:
        """
        The numbers of the items in their order; empty if trials are no means of items.
        """
    def price_from_budget(self, /, budget: SupportsFloat | SupportsIndex) -> float:
        """
        The price at which a run is expected to cost no more than `budget`.
        """
    def recommendation(
        self, /, context: list[dict[str, object]] | None = None
    ) -> (
        tuple[
            int, list[bool | int | float | str | None], float, float, float, str, dict[str, float]
        ]
        | None
    ):
        """
        The trial to use, if one is complete; in a context if one is given.
        """
    def record(
        self, /
    ) -> tuple[
        list[tuple[str, list[bool | int | float | str | None]]],
        list[tuple[str, list[bool | int | float | str | None]]],
        list[list[bool | int | float | str | None]],
    ]:
        """
        The record: what is known of each trial and what was measured, by columns, and the values of
        each trial.
        """
    def report(
        self,
        /,
        trial: SupportsIndex,
        progress: SupportsFloat | SupportsIndex,
        outcome: SupportsFloat | SupportsIndex,
        cost: SupportsFloat | SupportsIndex,
    ) -> tuple[str, float | None]:
        """
        Takes what a trial says in stages. Returns what it does, and until where it goes on.
        """
    def space(self, /) -> str:
        """
        The space as data in JSON; `null` if a table is searched.
        """
    def sync(self, /) -> None:
        """
        Reads what other processes wrote to the file.
        """
    def tell(self, /, trial: SupportsIndex, told: Outcome) -> None:
        """
        Tells the result of a trial.
        """
    def tell_cost(self, /, trial: SupportsIndex, cost: SupportsFloat | SupportsIndex) -> None:
        """
        Tells what a trial cost.
        """
    def trials(
        self, /
    ) -> list[
        tuple[
            int,
            list[bool | int | float | str | None],
            str,
            str,
            float | None,
            float | None,
            dict[str, float],
            list[tuple[float, float, float]],
        ]
    ]:
        """
        All trials.
        """
    def verdict(
        self, /, context: list[dict[str, object]] | None = None
    ) -> tuple[bool, str, float, float, str]:
        """
        Whether to stop, and why; in a context if one is given.
        """
    def verdict_on_another(self, /) -> tuple[bool, str, float, float, str]:
        """
        Whether one more trial is worth its price given the pending ones.
        """
    def withdraw(self, /, trial: SupportsIndex) -> None:
        """
        Gives a trial up, or takes back what was told of it.
        """

def arrow_stream(
    columns: SupportsGetItem[
        int,
        tuple[
            str, str | None, SupportsGetItem[int, bool | SupportsIndex | SupportsFloat | str | None]
        ],
    ],
) -> object:
    """
    A table as a capsule. Each column has a name, a type if that is known, and cells.
    """

def command(words: SupportsGetItem[int, str]) -> int:
    """
    Does what a command line says, whose first word is the name of the command, and returns the exit
    code. It is to have the process for itself: it prints, and heeds signals.
    """

def error_classes() -> list[str]:
    """
    The names of the classes of all kinds of errors.
    """

def price_of_rest(
    design: SupportsFloat | SupportsIndex,
    best: SupportsFloat | SupportsIndex,
    left: SupportsFloat | SupportsIndex,
) -> float | None:
    """
    The price at which the rest of a budget is worth spending. Larger outcomes are better.
    """

def quasi_random(dim: SupportsIndex, seed: SupportsIndex, index: SupportsIndex) -> list[float]:
    """
    The scrambled Sobol point of an index, in the unit cube.
    """

def shares(
    wanted: SupportsGetItem[int, SupportsFloat | SupportsIndex] | None = None,
) -> list[float]:
    """
    The shares of a run at which it reports, the end being the last: those that are wanted, or the
    usual ones.
    """

def sheet_column(
    cells: SupportsGetItem[int, str], separator: str
) -> tuple[list[str | None] | None, tuple[int, str] | None]:
    """
    The numbers of a column of cells as texts that `float` reads, or none for names; and the row
    of a cell that is no number among numbers, with why.
    """

def sheet_rows(
    text: str, wanted: SupportsGetItem[int, str] | None
) -> tuple[list[str], list[list[str]], list[int], str, list[str] | None]:
    """
    The names of the columns of a CSV file, its rows of cells, the line of each row, what stands
    between cells (that with which the most wanted columns are known, or the most columns), and what
    the rows are called in a column that is not wanted.
    """

def tables() -> str:
    """
    The engine's tables of names, which are JSON: settings, policies and stopping rules.
    """

def usual_design(varied: SupportsIndex, patterns: SupportsIndex) -> int:
    """
    The number of points of an initial design that is not set.
    """

def warm_start(
    space: str, earlier: SupportsGetItem[int, Study], count: SupportsIndex
) -> list[dict[str, bool | int | float | str | None]]:
    """
    The settings that did best in earlier studies, for a space that is JSON.
    """
