"""Words of other tuners, and which of ours does the same.

A word that is not there is answered where it is used: by our word, or by the nearest that there is.
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from gittins._check import hint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Init = TypeVar("Init", bound="Callable[..., None]")

_ENQUEUED = "Study(space, first=[values]), or study.announce(values) amid a run"
_TRIALS = "study.trials(), or study.record() as a table"
_LOOP = "study.optimize(f, n_trials=...)"

#: What a study has elsewhere.
STUDY = {
    "suggest": "study.ask()",
    "get_next": "study.ask()",
    "observe": "study.tell(ask, outcome)",
    "register": "study.enter(values, outcome)",
    "best_config": "study.best_params",
    "best_values": "the trials of study.front()",
    "best_trials": "study.front()",
    "directions": "study.direction, and objectives= of gittins.Study for further ones",
    "get_trials": _TRIALS,
    "trials_dataframe": "pandas.DataFrame(study.record())",
    "history": _TRIALS,
    "enqueue_trial": _ENQUEUED,
    "enqueue": _ENQUEUED,
    "add_trial": "study.enter(values, outcome)",
    "add_trials": "study.enter(values, outcome)",
    "add": "study.enter(values, outcome)",
    "stop": "stop=, price=, budget= or n_trials= of gittins.Study, and study.verdict()",
    "should_stop": "study.verdict(), which is true once the study should stop",
    "study_name": "name= of gittins.Journal",
    "sampler": "policy= of gittins.Study, and study.change_policy(policy)",
    "pruner": "stages= of gittins.Study, which pays for trials in stages",
    "should_prune": "the advice that study.report returns, with stages= of gittins.Study",
    "fail": "study.tell(trial, failed=True, cost=...)",
    "runs": "study.trials()",
    "save": "gittins.Journal(path, space), a study in a file",
    "load": "gittins.Journal(path)",
    "x": "study.best_params",
    "fun": "study.best_value",
    "space_names": "study.names",
}

#: What adds a parameter elsewhere.
SPACE = {
    "uniform": "float(name, low, high)",
    "loguniform": "log_float(name, low, high)",
    "log_uniform": "log_float(name, low, high)",
    "real": "float(name, low, high)",
    "quniform": "steps(name, low, high, step)",
    "discrete_uniform": "steps(name, low, high, step)",
    "integer": "int(name, low, high)",
    "randint": "int(name, low, high)",
    "uniform_int": "int(name, low, high)",
    "categorical": "choice(name, values)",
    "boolean": "flag(name)",
    "bool": "flag(name)",
    "grid": "numbers(name, values)",
    "suggest_float": "float(name, low, high)",
    "suggest_int": "int(name, low, high)",
    "suggest_categorical": "choice(name, values)",
    "suggest_uniform": "float(name, low, high)",
    "suggest_loguniform": "log_float(name, low, high)",
    "suggest_discrete_uniform": "steps(name, low, high, step)",
    "add": "a method for each kind of parameter, such as float, int, choice and flag",
    "add_constraint": "at_most(weights, bound), at_least(weights, bound) or sum_to(parts, total)",
    "cardinality": "at_most_of(parts, count, least)",
    "linear": "at_most(weights, bound), at_least(weights, bound) or equal_to(weights, total)",
    "parameters": "names, and to_data() for all of a space",
}

#: What a table has elsewhere.
TABLE = {
    **dict.fromkeys(("index", "loc", "iloc", "find"), "row_of(values), the number of a row"),
    **dict.fromkeys(("columns", "keys"), "names"),
    **dict.fromkeys(("rows", "values", "data"), "to_data()"),
    "read_csv": "gittins.Table.from_csv(path)",
}

#: What ends a study elsewhere.
STOPS = {
    "should_stop": "bool(stop.verdict(study))",
    "stop": "stop.verdict(study), or GittinsStop.clear(study) to go on",
    "words": "stop.verdict(study).words",
    "reason": "stop.verdict(study).words",
}

_VALUE = "ask[name]: the parameters stand in the gittins.Space of the study"

#: What a trial that was asked for has elsewhere.
ASK = {
    **{word: _VALUE for word in SPACE if word.startswith("suggest_")},
    **dict.fromkeys(("params", "config", "kwargs"), "dict(ask)"),
    **dict.fromkeys(("number", "id", "trial_id"), "ask.trial"),
    "report": "study.tell(ask, outcome), or study.report with stages= of gittins.Study",
    "should_prune": "the advice that study.report returns, with stages= of gittins.Study",
    "set_user_attr": "measured= of study.tell for numbers that were measured",
}

#: What a trial in stages has elsewhere.
RUN = {
    **{word: "run[name]" for word in SPACE if word.startswith("suggest_")},
    "params": "run.values",
    "trial": "run.number",
    "tell": "run.report(outcome)",
    "until": "what the loop `for until in run` yields",
    "should_prune": "the advice that run.report returns, and the end of `for until in run`",
}

#: What a verdict has elsewhere.
VERDICT = dict.fromkeys(("should_stop", "is_stop"), "bool(verdict)") | {"reason": "verdict.words"}

#: What a trial has elsewhere.
TRIAL = {
    "params": "trial.values",
    "value": "trial.outcome",
    "number": "trial.trial",
    "user_attrs": "trial.measured",
}

#: What a module of another tuner has.
MODULE = {
    "create_study": "gittins.Study(space)",
    "load_study": "gittins.Journal(path)",
    "delete_study": "the file of a gittins.Journal, which may be deleted",
    "TrialPruned": "the advice that study.report returns, with stages= of gittins.Study",
    "StagedStudy": "gittins.Study(space, stages={'epochs': 27})",
    "StagedJournal": "gittins.Journal(path, space, stages={'epochs': 27})",
    "samplers": "gittins.policy, or gittins.GittinsSampler for Optuna",
    "pruners": "stages= of gittins.Study, or gittins.GittinsPruner for Optuna",
    "storages": "gittins.Journal(path, space)",
    "distributions": "gittins.Space",
    "hp": "gittins.Space",
    "fmin": "gittins.Study(space), and " + _LOOP,
    "minimize": "gittins.Study(space), and " + _LOOP,
    "maximize": "gittins.Study(space, 'maximize'), and " + _LOOP,
    "optimize": "gittins.Study(space), and " + _LOOP,
    "gp_minimize": "gittins.Study(space), and " + _LOOP,
    "tpe": "gittins.policy",
    "Trials": "gittins.Study",
    "STATUS_OK": "study.tell(ask, outcome)",
    "Optimizer": "gittins.Study",
    "BayesianOptimization": "gittins.Study",
    "BayesSearchCV": "gittins.GittinsSearchCV",
    "Real": "gittins.Space().float(name, low, high)",
    "Integer": "gittins.Space().int(name, low, high)",
    "Categorical": "gittins.Space().choice(name, values)",
    "Sampler": "gittins.GittinsSampler for Optuna",
    "Pruner": "gittins.GittinsPruner for Optuna",
}

#: What constructors take elsewhere: ours, of which the first counts that a constructor has.
_SETTINGS = {
    **dict.fromkeys(("lambda_", "lam", "lambd", "cost_weight"), ("price",)),
    **dict.fromkeys(("n_iter", "n_calls", "max_trials", "max_evals", "trials"), ("n_trials",)),
    **dict.fromkeys(("timeout", "max_time", "max_cost", "money"), ("budget",)),
    **dict.fromkeys(("sampler", "acquisition", "acq_func"), ("policy",)),
    **dict.fromkeys(("rule", "stopping_rule"), ("stop", "price")),
    **dict.fromkeys(("random_state", "random_seed"), ("seed",)),
    **dict.fromkeys(
        ("n_startup_trials", "n_initial_points", "init_points", "initial"),
        ("initial", "n_startup_trials"),
    ),
    **dict.fromkeys(("constraints_func", "constraints"), ("limits",)),
    **dict.fromkeys(("directions", "metrics"), ("objectives",)),
    **dict.fromkeys(("mode", "sense"), ("direction",)),
    **dict.fromkeys(("n_folds", "cv"), ("folds", "stages")),
    **dict.fromkeys(("max_epochs", "n_epochs"), ("epochs", "stages")),
    **dict.fromkeys(("n_items", "instances", "examples", "questions"), ("items", "stages")),
    **dict.fromkeys(("epochs", "items", "total", "reports", "fidelity", "budgets"), ("stages",)),
    "folds": ("stages", "cv"),
    **dict.fromkeys(("param_distributions", "search_spaces", "param_grid"), ("space",)),
    "points_to_evaluate": ("first",),
    "study_name": ("name",),
    "seed": ("random_state",),
}

#: What constructors take elsewhere and none takes here.
_ELSEWHERE = {
    "storage": "gittins.Journal(path, space) is a study in a file",
    "load_if_exists": "gittins.Journal(path, space) goes on with a file that is there",
    "pruner": "stages= of gittins.Study pays for trials in stages",
    "policy": "price= or budget= says what chooses",
    "stop": "price= or budget= says when to stop",
    **{word: f"{word}= of gittins.Study has it" for word in ("price", "seed", "space", "stages")},
    "points_to_evaluate": "first= of gittins.Study says what to begin with",
    "cost": "costs are seconds, or of trials of Optuna the user attribute 'cost'",
    "budget": "gittins.Study(budget=...), or GittinsStop(budget=...) for Optuna, ends a study",
    "hour": "price= is what a unit of cost is worth, such as a second",
    "timeout": "timeout= of study.optimize, or GittinsStop(budget=...), ends a study of Optuna",
    "direction": "a study has it; a search of scikit-learn maximizes its score",
    "n_trials": "price= or budget= ends a study, and n_trials= of study.optimize one of Optuna",
    "n_jobs": "several threads or processes may ask and tell one study",
}


#: The policies as they are called elsewhere.
POLICIES = {
    "pbgi": ("gittins",),
    **dict.fromkeys(("eipc", "eips", "eipu", "ei_per_cost"), ("log_eipc",)),
    **dict.fromkeys(("pi", "poi"), ("log_pi",)),
    "lcb": ("ucb",),
    "ts": ("thompson",),
    "mes": ("max_value_entropy",),
    "kg": ("knowledge_gradient",),
}

#: The stopping rules as they are called elsewhere.
RULES = {
    "pbgi": ("gittins",),
    **dict.fromkeys(("patience", "early_stopping", "no_improvement", "plateau"), ("stall",)),
    **dict.fromkeys(("max_trials", "n_trials", "max_evals"), ("trial_limit",)),
    **dict.fromkeys(("budget", "max_cost"), ("spending_limit",)),
}


def meant(
    name: str, known: Iterable[str], words: Mapping[str, tuple[str, ...]] | None = None
) -> str:
    """Return which of some names is meant by one of another tuner; nothing if none is near."""
    known = list(known)
    ours = [word for word in (words or _SETTINGS).get(name.lower(), ()) if word in known]
    return f"; here it is {ours[0]!r}" if ours else hint(name, known)


def answer(what: str, name: str, words: Mapping[str, str], known: Iterable[str]) -> AttributeError:
    """Return the error that something has no attribute of this name."""
    message = f"{what} has no attribute {name!r}"
    if name in words:
        message += f"; here it is {words[name]}"
    elif not name.startswith("_"):
        message += hint(name, [word for word in known if not word.startswith("_")])
    return AttributeError(message)


class Answering:
    """What answers words of other tuners that it has not."""

    #: These words, and ours for them.
    _words: ClassVar[Mapping[str, str]] = {}

    if not TYPE_CHECKING:
        # A checker of types would take any word then.
        def __getattr__(self, name: str) -> Any:
            """Raise what answers a word that is not there."""
            # The names of parameters are no attributes of what was asked for.
            values = {one: f"ask[{one!r}]" for one in self.__dict__.get("point", ())}
            raise answer(type(self).__name__, name, {**self._words, **values}, dir(type(self)))


def refuse_unknown(what: str, given: Iterable[str], known: Iterable[str]) -> None:
    """Refuse settings that something does not have.

    Raises:
        TypeError: There is one. The message names it, and ours if there is one for it.
    """
    known = list(known)
    for name in sorted(set(given) - set(known)):
        message = f"{what}: {name!r} is no setting"
        words = (name, *_SETTINGS.get(name, ()))
        if ours := [word for word in words if word in known]:
            message += f"; here it is {ours[0]!r}"
        elif there := [word for word in words if word in _ELSEWHERE]:
            message += f"; {_ELSEWHERE[there[0]]}"
        else:
            message += f"; there are {known}{hint(name, known)}"
        raise TypeError(message)


def answering(init: Init) -> Init:
    """Let a constructor answer settings that it has not, and keep those that it was given."""
    usual = {name: one.default for name, one in inspect.signature(init).parameters.items()}
    known = list(usual)[1:]

    @functools.wraps(init)
    def made(self: Any, *given: Any, **settings: Any) -> None:
        refuse_unknown(type(self).__name__, settings, known)
        init(self, *given, **settings)
        if hasattr(type(self), "_made"):
            named = {**dict(zip(known, given)), **settings}
            used = [name for name in known if named.get(name) is not None]
            self._made = {name: named[name] for name in used if named[name] is not usual[name]}

    return cast("Init", made)
