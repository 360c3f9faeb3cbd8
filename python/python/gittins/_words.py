"""Words of other tuners, and which of ours does the same.

A word that is not there is answered where it is used: by our word, or by the nearest that there is.
"""

from __future__ import annotations

import functools
import inspect
from abc import ABCMeta
from typing import TYPE_CHECKING, Any, TypeVar, cast

from gittins._check import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Called = TypeVar("Called", bound="Callable[..., Any]")

_LOOP = "gittins.Study(space), and study.optimize(f, n_trials=...)"
_STAGED = "the advice that study.report returns, with stages= of gittins.Study"
_SUGGEST = "suggest_float suggest_int suggest_categorical suggest_uniform suggest_loguniform"
_VALUE = "ask[name]: the parameters stand in the gittins.Space of the study"
_MEASURED = "measured= of study.tell, for numbers that were measured"

#: What there is elsewhere, by where it is looked for: words, and ours for them.
_WORDS = {
    "gittins": {
        "create_study": "gittins.Study(space)",
        "load_study": "gittins.Journal(path)",
        "TrialPruned": _STAGED,
        "samplers": "gittins.policy, or gittins.GittinsSampler for Optuna",
        "pruners": "stages= of gittins.Study, or gittins.GittinsPruner for Optuna",
        "storages": "gittins.Journal(path, space)",
        "distributions hp": "gittins.Space",
        "fmin minimize maximize optimize gp_minimize": _LOOP,
        "Optimizer BayesianOptimization AxClient Client": "gittins.Study(space)",
        "BayesSearchCV": "gittins.GittinsSearchCV",
        "Float FloatDistribution Real": "gittins.Space().float(name, low, high)",
        "Int IntDistribution Integer": "gittins.Space().int(name, low, high)",
        "Choice CategoricalDistribution Categorical": "gittins.Space().choice(name, values)",
    },
    "Study": {
        "suggest get_next_trial": "study.ask()",
        "register complete_trial": "study.tell(ask, outcome)",
        "best_trials pareto_front": "study.front()",
        "directions": "study.direction, and objectives= of gittins.Study for further ones",
        "get_trials": "study.trials(), or study.record() as a table",
        "trials_dataframe to_pandas": "pandas.DataFrame(study.record())",
        "enqueue_trial": "Study(space, first=[values]), or study.announce(values) amid a run",
        "add_trial add_trials attach_trial": "study.enter(values, outcome)",
        "stop": "stop=, price=, budget= or n_trials= of gittins.Study, and study.verdict()",
        "should_stop": "study.verdict(), which is true once the study should stop",
        "study_name": "name= of gittins.Journal",
        "sampler": "policy= of gittins.Study, and study.change_policy(policy)",
        "pruner": "stages= of gittins.Study, which pays for trials in stages",
        "should_prune": _STAGED,
        "user_attrs set_user_attr": _MEASURED,
        "save": "gittins.Journal(path, space), a study in a file",
        "load": "gittins.Journal(path)",
    },
    "Space": {
        "suggest_float suggest_uniform uniform": "float(name, low, high)",
        "suggest_loguniform loguniform": "log_float(name, low, high)",
        "suggest_int integer": "int(name, low, high)",
        "suggest_categorical categorical": "choice(name, values)",
        "bool": "flag(name)",
        "powers_of_two": "numbers(name, [16, 32, 64])",
        "add_constraint": "at_most(weights, bound), at_least(...) or sum_to(parts, total)",
        "add": "a method for each kind of parameter, such as float, int, choice and flag",
    },
    "Table": {
        "loc iloc index": "row_of(values), the number of a row",
        "columns": "names",
        "read_csv": "gittins.Table.from_csv(path)",
    },
    "Ask": {
        _SUGGEST: _VALUE,
        "params": "dict(ask)",
        "number trial_id": "ask.trial",
        "report": "study.tell(ask, outcome), or study.report with stages= of gittins.Study",
        "should_prune": _STAGED,
        "set_user_attr": _MEASURED,
    },
    "Run": {
        _SUGGEST: "run[name]",
        "params": "run.values",
        "tell": "run.report(outcome)",
        "should_prune": "the advice that run.report returns, and the end of `for until in run`",
    },
    "Trial": {
        "params": "trial.values",
        "value": "trial.outcome",
        "number": "trial.trial",
        "user_attrs": "trial.measured",
    },
    "GittinsStop": {"should_stop": "bool(stop.verdict(study))"},
}
_WORDS["Recommendation"] = _WORDS["Trial"]

#: What is given elsewhere, as a setting, a policy or a rule: ours, of which the first counts that
#: there is, or else a sentence.
_GIVEN = {
    "lambda_ lam": ("price",),
    "n_iter n_calls max_evals max_trials n_trials": (
        "n_trials",
        "trial_limit",
        "price= or budget= ends a study, and n_trials= of study.optimize one of Optuna",
    ),
    "timeout": (
        "budget",
        "timeout= of study.optimize, or GittinsStop(budget=...), ends a study of Optuna",
    ),
    "sampler acquisition acq_func policy": ("policy", "price= or budget= says what chooses"),
    "random_state seed": ("seed", "random_state", "seed= of gittins.Study has it"),
    "initial n_startup_trials n_initial_points init_points": ("initial", "n_startup_trials"),
    "constraints_func constraints": ("limits",),
    "directions": ("objectives",),
    "mode direction": ("direction", "a study has it; a search of scikit-learn maximizes its score"),
    "folds cv": ("folds", "cv", "stages", "stages= of gittins.Study has it"),
    "max_epochs epochs items": ("epochs", "stages", "stages= of gittins.Study has it"),
    "param_distributions search_spaces param_grid": ("space",),
    "points_to_evaluate": ("first", "first= of gittins.Study says what to begin with"),
    "study_name": ("name", "name= of gittins.Journal has it"),
    "storage": ("gittins.Journal(path, space) is a study in a file",),
    "load_if_exists": ("gittins.Journal(path, space) goes on with a file that is there",),
    "pruner": ("stages= of gittins.Study pays for trials in stages",),
    "price space stages": ("{}= of gittins.Study has it",),
    "cost": ("costs are seconds, or of trials of Optuna the user attribute 'cost'",),
    "budget": (
        "spending_limit",
        "gittins.Study(budget=...), or GittinsStop(budget=...) for Optuna, ends a study",
    ),
    "hour": ("price= is what a unit of cost is worth, such as a second",),
    "constant_liar": ("trials that are under way are always reckoned with",),
    "n_jobs": ("several threads or processes may ask and tell one study",),
    "callbacks": ("a loop of ask and tell does between trials whatever it wants",),
    "show_progress_bar": ("print(study) says how far a study is",),
    "value": ("outcome",),
    "values": ("outcome= is told, and measured={...} of further objectives",),
    "state": ("failed=True tells a trial that failed, and study.withdraw gives one up",),
    "n": ("count",),
    "patience early_stopping": (
        "stall",
        "stop={'name': 'stall', 'window': ...} of gittins.Study ends a study",
    ),
    "pbgi": ("gittins",),
}
_OURS = {word: ours for words, ours in _GIVEN.items() for word in words.split()}


def ours(name: str, known: Iterable[str]) -> str:
    """Return what there is of ours for a word of another tuner; nothing if there is none."""
    for one in _OURS.get(name.lower(), ()):
        if one in known:
            return f"; here it is {one!r}"
        if " " in one:
            return f"; {one.replace('{}', name)}"
    return ""


def meant(name: str, known: list[str]) -> str:
    """Return which of some names is meant by one that is none; nothing if none is near."""
    return ours(name, known) or hint(name, known)


def answer(kind: str, name: str, known: Iterable[str], *kinds: str) -> AttributeError:
    """Return the error that something, which may be of several kinds, has no such attribute."""
    rows = [row for one in kinds or (kind,) for row in _WORDS.get(one, {}).items()]
    there = [ours for words, ours in rows if name in words.split()]
    said = f"; here it is {there[0]}" if there else ""
    if not there and not name.startswith("_"):
        said = hint(name, [word for word in known if not word.startswith("_")])
    return AttributeError(f"{kind} has no attribute {name!r}{said}")


def _lacking(kind: type, name: str) -> AttributeError:
    return answer(kind.__name__, name, dir(kind), *(base.__name__ for base in kind.__mro__))


class _Answering(ABCMeta):
    """What answers words of other tuners that a class has not, such as `Journal.load`."""

    if not TYPE_CHECKING:
        # A checker of types would take any word then.
        def __getattr__(cls, name: str) -> Any:
            """Raise what answers a word that is not there."""
            raise _lacking(cls, name)


class Answering(metaclass=_Answering):
    """What answers words of other tuners that it has not."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Raise what answers a word that is not there."""
            # The names of parameters are no attributes of what was asked for.
            if name in self.__dict__.get("point", ()):
                message = (
                    f"{type(self).__name__} has no attribute {name!r}; here it is ask[{name!r}]"
                )
                raise AttributeError(message)
            raise _lacking(type(self), name)


def refuse_unknown(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse settings that something does not have.

    Raises:
        TypeError: There is one. The message names it, and ours if there is one for it.
    """
    known = list(known)
    for name in sorted(set(given) - set(known)):
        said = ours(name, known) or f"; there are {known}{hint(name, known)}"
        message = f"{what}: {name!r} is no setting{said}"
        raise TypeError(message)


def answering(call: Called) -> Called:
    """Let a call answer settings that it has not. A constructor keeps those that it was given."""
    usual = {name: one.default for name, one in inspect.signature(call).parameters.items()}
    known = list(usual)[1:]
    is_init = call.__name__ == "__init__"

    @functools.wraps(call)
    def made(self: Any, *given: Any, **settings: Any) -> Any:
        refuse_unknown(type(self).__name__ if is_init else call.__name__, settings, known)
        found = call(self, *given, **settings)
        if is_init and hasattr(type(self), "_made"):
            named = {**dict(zip(known, given)), **settings}
            used = [name for name in known if named.get(name) is not None]
            self._made = {name: named[name] for name in used if named[name] is not usual[name]}
        return found

    return cast("Called", made)
