"""A server of the Model Context Protocol (MCP): studies that an assistant runs.

    python -m gittins.mcp FOLDER        # all studies of a folder
    python -m gittins.mcp FILE.journal  # a single one

A study is a journal in the folder and has the name of its file. The server keeps nothing else, so
it may be killed at any moment, and several may share a folder.

The tools have the library's words, ask and tell, each with what it is about: an assistant sees the
tools of all its servers side by side, and `ask` alone could be a question to anybody.
"""

from __future__ import annotations

import functools
import inspect
import math
import pathlib
import re
import sys
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, cast

try:
    from mcp.server.mcpserver import Context, MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp.server.mcpserver.tools import Tool
    from mcp.types import CallToolResult, TextContent, ToolAnnotations
except ModuleNotFoundError as _error:
    if (_error.name or "").split(".")[0] != "mcp":
        raise
    _message = 'gittins.mcp needs the SDK of MCP, version 2 or later: pip install "gittins[mcp]"'
    if __name__ == "__main__":
        sys.exit(_message)
    raise ImportError(_message) from _error

from gittins._check import hint, refuse_keys, text, whole
from gittins._gittins import __version__
from gittins._said import (
    ARGUMENTS,
    MANY,
    PARAMETER,
    an_object,
    conditions_of,
    refuse_lack,
    settings_of,
    space_of,
)
from gittins.errors import GittinsError, InvalidSettingError
from gittins.journal import Journal

if TYPE_CHECKING:
    from collections.abc import Callable

    from gittins._parameter import Parameter
    from gittins.trial import Trial

__all__ = ["main", "server"]

_INSTRUCTIONS = """\
Gittins tunes what is expensive to try: it chooses the next trial, and says when to stop.
1. list_studies shows what is there, create_study begins a study. After an interruption look at the
pending trials of get_study first: finish and tell them, or withdraw them.
2. ask_trials chooses a trial. Try its values as they are.
3. tell_trial tells the outcome and the cost, fail_trial that there is no outcome.
4. get_verdict says whether to stop, and why. If `stop` is true, ask for no other trial.
5. get_recommendation is the result.
What was told is in the file before a tool answers. An error says what was expected."""

#: What a file may be called before its ending.
_NAME = re.compile(r"\w[\w .-]*(?<!\.journal)(?<![ .])")
_LONGEST = 200


class _Studies:
    """The studies of a folder. Its methods without a leading underscore are the tools."""

    def __init__(self, place: pathlib.Path) -> None:
        self._only = place.stem if place.suffix == ".journal" else None
        self._folder = (place.parent if self._only else place).resolve()
        if not self._folder.is_dir():
            message = f"{self._folder}: expected a folder of journals, or a file NAME.journal"
            raise InvalidSettingError(message)

    def list_studies(self) -> dict[str, Any]:
        """List the studies, with the best outcomes so far."""
        return {"folder": str(self._folder), "studies": [self._line(name) for name in self._names]}

    def create_study(
        self,
        study: Any,
        parameters: Any,
        direction: Any,
        price: Any = None,
        budget: Any = None,
        n_trials: Any = None,
        cost: Any = None,
        cost_unit: Any = None,
        constraints: Any = None,
        limits: Any = None,
        objectives: Any = None,
        first: Any = None,
        settings: Any = None,
    ) -> dict[str, Any]:
        """Begin a study in a new file. Nothing ends it without a price, a budget or n_trials."""
        named = {"price": price, "budget": budget, "n_trials": n_trials, "cost": cost}
        named |= {"cost_unit": cost_unit, "limits": limits, "objectives": objectives}
        named |= {"first": first}
        given = {name: value for name, value in named.items() if value is not None}
        space = space_of(parameters, constraints)
        found = settings_of({**an_object("settings", settings or {}), **given}, space)
        path = self._path(study)
        if path.exists():
            message = f"study {path.stem!r}: it is there already; go on with it, or name another"
            raise InvalidSettingError(message)
        journal = Journal(path, space, direction, **found)
        return {**_shown(path.stem, journal), "verdict": journal.verdict().words}

    def get_study(self, study: Any) -> dict[str, Any]:
        """Show a study: its parameters, the numbers of its pending trials, its best trial."""
        return _shown(self._path(study).stem, self._opened(study))

    def ask_trials(
        self,
        study: Any,
        count: Any = 1,
        within: Any = None,
        where: Any = None,
        context: Any = None,
    ) -> dict[str, Any]:
        """Ask for the next trial to try, or for several to try at the same time.

        A trial is pending until it is told, failed or withdrawn.
        """
        count, journal = whole("count", count, least=1, most=MANY), self._opened(study)
        part = {"where": conditions_of(where), "context": conditions_of(context)}
        asks = journal.ask_many(count, within=within, **part, jointly=count > 1)
        trials = [{"trial": ask.trial, "values": dict(ask), "why": ask.why} for ask in asks]
        words = f"nothing else is expected to cost at most {within}"
        lack = {} if len(asks) == count else {"words": words}
        return {"trials": trials, "pending": _pending(journal), **lack}

    def tell_trial(
        self,
        study: Any,
        trial: Any,
        outcome: Any = None,
        cost: Any = None,
        measured: Any = None,
        cost_later: Any = False,
    ) -> dict[str, Any]:
        """Tell the outcome of a trial and what it cost, or what it cost alone."""
        journal = self._opened(study)
        if outcome is None and measured is None and cost is not None:
            journal.tell_cost(trial, cost)
        else:
            journal.tell(trial, outcome, cost=cost, measured=measured, cost_later=cost_later)
        return _row(journal, trial)

    def fail_trial(
        self,
        study: Any,
        trial: Any,
        cost: Any = None,
        infeasible: Any = False,
        measured: Any = None,
    ) -> dict[str, Any]:
        """Tell that a trial gave no outcome. The study learns where trials fail."""
        journal, failed = self._opened(study), infeasible is False
        told = {"cost": cost, "measured": measured, "failed": failed, "infeasible": infeasible}
        journal.tell(trial, **told)
        return _row(journal, trial)

    def correct_trial(
        self,
        study: Any,
        trial: Any,
        outcome: Any = None,
        cost: Any = None,
        measured: Any = None,
        failed: Any = False,
        infeasible: Any = False,
    ) -> dict[str, Any]:
        """Replace all that was told of a trial by mistake."""
        journal, told = self._opened(study), {"cost": cost, "measured": measured}
        journal.correct(trial, outcome, failed=failed, infeasible=infeasible, **told)
        return _row(journal, trial)

    def withdraw_trial(self, study: Any, trial: Any) -> dict[str, Any]:
        """Give up a pending trial that nobody will finish, or take back what was told of one."""
        journal = self._opened(study)
        journal.withdraw(trial)
        return _row(journal, trial)

    def import_trial(
        self,
        study: Any,
        values: Any,
        outcome: Any = None,
        cost: Any = None,
        measured: Any = None,
        failed: Any = False,
    ) -> dict[str, Any]:
        """Tell a trial that was not asked for, such as one from before the study."""
        journal, told = self._opened(study), {"cost": cost, "measured": measured}
        return _row(journal, journal.enter(values, outcome, failed=failed, **told))

    def list_trials(self, study: Any, last: Any = 50) -> dict[str, Any]:
        """List the last trials. A value is null if it does not exist or is not known."""
        last, journal = whole("last", last, least=1), self._opened(study)
        rows = [_trial(trial) for trial in journal.trials()]
        return {"count": len(rows), "trials": rows[-last:], "left_out": journal.left_out}

    def get_verdict(self, study: Any, context: Any = None) -> dict[str, Any]:
        """Say whether to stop, and in `words` why. Pending trials do not count."""
        return asdict(self._opened(study).verdict(context=conditions_of(context)))

    def get_recommendation(self, study: Any, context: Any = None) -> dict[str, Any]:
        """Say which trial to use and what to expect of it; the front of several objectives."""
        journal = self._opened(study)
        found = journal.recommendation(context=conditions_of(context))
        if found is not None:
            return {"recommendation": asdict(found)}
        front = [_trial(trial) for trial in journal.front()]
        words = "the front has the result" if front else "no trial holds all limits yet"
        return {"recommendation": None, "front": front, "words": words}

    @property
    def _names(self) -> list[str]:
        names = sorted(path.stem for path in self._folder.glob("*.journal"))
        return [name for name in names if _NAME.fullmatch(name) and self._only in (None, name)]

    def _line(self, name: str) -> dict[str, Any]:
        try:
            journal = self._opened(name)
        except (GittinsError, OSError) as error:
            return {"study": name, "error": str(error)}
        best, pending = journal.best(), _pending(journal)
        found = {"study": name, "trials": len(journal.trials()), "pending": len(pending)}
        return {**found, "best_outcome": None if best is None else best.outcome}

    def _path(self, study: Any) -> pathlib.Path:
        name = text("study", study)
        if not _NAME.fullmatch(name) or len(name.encode()) > _LONGEST:
            what = "letters, digits, spaces and the signs _ . -, and neither a folder nor an ending"
            message = f"study: expected a name such as 'rates', of {what}; got {name!r}"
            raise InvalidSettingError(message)
        if self._only not in (None, name):
            message = f"study {name!r}: this server has {self._only!r} alone"
            raise InvalidSettingError(message)
        path = self._folder / f"{name}.journal"
        if path.resolve().parent != self._folder:
            message = f"study {name!r}: its file is a link that leaves the folder"
            raise InvalidSettingError(message)
        return path

    def _opened(self, study: Any) -> Journal:
        path, names = self._path(study), self._names
        if path.stem not in names:
            message = f"study {path.stem!r}: it is not there; there are {names}{hint(study, names)}"
            raise InvalidSettingError(message)
        journal = Journal(path)
        if journal.has_stages:
            message = f"study {path.stem!r}: it runs in stages, which gittins.Journal follows"
            raise InvalidSettingError(message)
        return journal


def _shown(name: str, journal: Journal) -> dict[str, Any]:
    best, space = journal.best(), journal._space
    return {
        "study": name,
        "direction": journal.direction,
        "parameters": [_parameter(one) for one in space._parameters.values()],
        "constraints": space.to_data().get("constraints", []),
        "trials": len(journal.trials()),
        "pending": _pending(journal),
        "best": None if best is None else _trial(best),
        "total_cost": journal.total_cost,
        "cost_unit": journal._inner.cost_unit(),
    }


def _parameter(one: Parameter) -> dict[str, Any]:
    found = {key: one.settings[key] for key in PARAMETER if key in one.settings}
    values = {} if one.values is None else {"values": one.values}
    when = {"when": " and ".join(map(str, one.when))} if one.when else {}
    return {"name": one.name, "type": one.type, **found, **values, **when}


def _pending(journal: Journal) -> list[int]:
    return [trial.trial for trial in journal.trials() if trial.state == "pending"]


def _trial(trial: Trial) -> dict[str, Any]:
    return {key: value for key, value in asdict(trial).items() if key != "reports"}


def _row(journal: Journal, number: int) -> dict[str, Any]:
    return next(_trial(trial) for trial in journal.trials() if trial.trial == number)


def _finite(value: Any) -> Any:
    """Return a value as JSON has it, where null stands for what is no finite number."""
    if isinstance(value, Mapping):
        return {str(key): _finite(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


class _Tool(Tool):
    """A tool whose errors have the library's sentence and nothing else."""

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        try:
            refuse_keys(self.name, arguments, self.parameters["properties"])
            # Some clients send null for what is left out.
            given = {name: value for name, value in arguments.items() if value is not None}
            refuse_lack(self.name, given, self.parameters["required"])
            return await super().run(given, context, convert_result)
        except (GittinsError, ToolError) as error:
            cause = error.__cause__ if isinstance(error, ToolError) else error
            if not isinstance(cause, (GittinsError, OSError)):
                raise
            return CallToolResult(content=[TextContent(text=str(cause))], is_error=True)


def _tool(method: Callable[..., dict[str, Any]]) -> _Tool:
    @functools.wraps(method)
    def run(*given: Any, **named: Any) -> Any:
        # Two threads of a process with a journal each may wait for each other.
        return _finite(method(*given, **named))

    name = method.__name__
    # A verdict and a recommendation note in the file what they computed.
    reads = name in ("get_study", "list_studies", "list_trials")
    hints = ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=name in ("correct_trial", "withdraw_trial"),
        idempotent_hint=name.startswith(("get_", "list_")),
        open_world_hint=False,
    )
    tool = _Tool.from_function(run, description=inspect.getdoc(method), annotations=hints)
    known = inspect.signature(method).parameters.values()
    tool.parameters = {
        "type": "object",
        "properties": {
            one.name: ARGUMENTS.get(f"{name}.{one.name}") or ARGUMENTS[one.name] for one in known
        },
        "required": [one.name for one in known if one.default is one.empty],
        "additionalProperties": False,
    }
    return cast("_Tool", tool)


def server(place: str | pathlib.Path) -> MCPServer[Any]:
    """Return a server of the studies of a folder, or of the one in a file `NAME.journal`.

    Raises:
        GittinsError: There is no such folder.
    """
    studies = _Studies(pathlib.Path(place))
    names = [name for name in vars(_Studies) if not name.startswith("_")]
    return MCPServer(
        "gittins",
        instructions=_INSTRUCTIONS,
        version=__version__,
        tools=[_tool(getattr(studies, name)) for name in names],
        log_level="WARNING",
    )


def main() -> None:
    """Serve the studies of the command line's folder over standard input and output."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        sys.exit("usage: python -m gittins.mcp FOLDER, or FILE.journal")
    try:
        server(sys.argv[1]).run("stdio")
    except GittinsError as error:
        sys.exit(f"error: {error}")
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main()
