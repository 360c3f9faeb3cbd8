"""Runs in stages for Ray Tune: a search begins trials, a scheduler leaves and resumes them.

    study = gittins.Study(space, stages={"epochs": 27}, price=1e-4, cost_unit="s")
    search = GittinsSearch(study, metric="loss")
    config = tune.TuneConfig(search_alg=search, scheduler=GittinsScheduler(search), num_samples=-1)
    tune.Tuner(train, tune_config=config).fit()

Both are needed: the study says what to pay for next, and that is a trial to begin as well as one
that was left.
"""

from __future__ import annotations

import logging
import math
import numbers
import pickle
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

try:
    from ray.tune.experiment import Trial  # type: ignore[import-not-found,unused-ignore]
    from ray.tune.schedulers import FIFOScheduler, TrialScheduler  # type: ignore[import-not-found,unused-ignore]
    from ray.tune.search import Searcher  # type: ignore[import-not-found,unused-ignore]
    from ray.tune.search.variant_generator import parse_spec_vars  # type: ignore[import-not-found,unused-ignore]
    from ray.tune.utils.util import unflatten_dict  # type: ignore[import-not-found,attr-defined,unused-ignore]
except ModuleNotFoundError as _error:
    if (_error.name or "").split(".")[0] != "ray":
        raise
    _message = 'gittins.ray needs Ray Tune: pip install "gittins[ray]"'
    raise ImportError(_message) from _error

from gittins._check import plain, text
from gittins._words import answering
from gittins.errors import ExhaustedError, GittinsError, InvalidSettingError
from gittins.journal import Journal
from gittins.study import Study

if TYPE_CHECKING:
    from gittins.stages import Advice
    from gittins.trial import Ask

__all__ = ["GittinsScheduler", "GittinsSearch"]

_logger = logging.getLogger("gittins")

#: If this many trials ended and none reported anything, none will: `num_samples=-1` never ends.
_BROKEN = 10

#: What a trial of Ray does, by the advice that its run got.
_DECISIONS = {
    "continue": TrialScheduler.CONTINUE,
    "pause": TrialScheduler.PAUSE,
    "abandon": TrialScheduler.STOP,
    "done": TrialScheduler.STOP,
}


@dataclass
class _Course:
    """What a trial of Ray is in the study.

    Attributes:
        trial: Its number there.
        until: The progress at which it reports next.
        active: Whether it is running, or waits for a worker.
        progress: The progress of its last result.
        outcome: The outcome of its last result.
        owed: What it has cost since its last report.
        ended: Whether it came to an end by itself: what it had there is what it has later.
    """

    trial: int
    until: float
    active: bool = True
    progress: float = 0.0
    outcome: float = math.nan
    owed: float = 0.0
    ended: bool = False


class GittinsSearch(Searcher):  # type: ignore[misc,unused-ignore]
    """A search of Ray Tune that begins the runs of a study.

    Give it to `tune.TuneConfig` together with a `GittinsScheduler`, with `num_samples=-1` and
    `max_concurrent_trials`: the study ends by its price or its budget. `param_space` may have
    constants. A parameter named `"optimizer/rate"` is `config["optimizer"]["rate"]`.

    A trainable reports at each unit of progress, and with each report it keeps a checkpoint from
    which it goes on. Where checkpoints are too large, build the study with `resumable=False`.

    - A trial that ends before its last stage has its last outcome to the end.
    - A trial that fails for good, or reports an outcome that is not finite, is told as failed.
    - If ten trials fail before anything is reported, the experiment ends with an error.
    - Once `num_samples` trials began, none that was left is resumed.
    - `tune.Tuner.restore` needs a `Journal`. All running and paused trials take one stage
      more then. In a new experiment on the same file, runs that an earlier one left count as failed
      when it is their turn: their checkpoints are not found.

    Args:
        study: The study, which nothing else asks.
        metric: The name of the outcome in what a trainable reports; that of `tune.TuneConfig`
            unless given.
        progress: The name of the progress.
        cost: The name of what a trial cost since it reported last: seconds, unless given.

    Raises:
        InvalidSettingError: A setting makes no sense. The message names it.
    """

    _metric: str | None

    @answering
    def __init__(
        self,
        study: Study,
        metric: str | None = None,
        *,
        progress: str = "training_iteration",
        cost: str = "time_this_iter_s",
    ) -> None:
        if not isinstance(study, Study) or not study.has_stages:
            message = f"study: expected a gittins.Study(space, stages=...), got {study!r}"
            raise InvalidSettingError(message)
        mode = {"minimize": "min", "maximize": "max"}[study.direction]
        super().__init__(None if metric is None else text("metric", metric), mode)
        self._study: Study | None = study
        self._progress = text("progress", progress)
        self._cost = text("cost", cost)
        self._most = math.inf
        self._courses: dict[str, _Course] = {}
        self._scheduled = False
        # The trial that is to be resumed next, until Ray began to do so.
        self._left: str | None = None
        self._shown = False

    @property
    def study(self) -> Study:
        """The study."""
        if self._study is None:
            message = "study: only one in a file, a gittins.Journal, can be restored"
            raise InvalidSettingError(message)
        return self._study

    def set_search_properties(
        self, metric: str | None, mode: str | None, config: dict[str, Any], **spec: Any
    ) -> bool:
        """Take what `tune.TuneConfig` says; false if it names another metric."""
        constants, domains, grids = parse_spec_vars(config)
        searched = ["/".join(map(str, path)) for path, _ in domains + grids]
        fixed = {"/".join(map(str, path)): value for path, value in constants}
        for name in searched:
            message = f"param_space: {name!r} is searched, which the Space of the study says"
            raise InvalidSettingError(message)
        for name in fixed.keys() & set(self.study.names if fixed else ()):
            one = f"Space().constant({name!r}, {fixed[name]!r})"
            message = f"param_space: the study has {name!r}; its Space gives it one value by {one}"
            raise InvalidSettingError(message)
        return self._settle(metric, mode)

    def _settle(self, metric: str | None, mode: str | None) -> bool:
        if mode is not None and mode != self._mode:
            message = f"mode: the study says {self.study.direction!r}, got {mode!r}"
            raise InvalidSettingError(message)
        if metric is not None and self._metric not in (None, metric):
            return False
        self._metric = metric or self._metric
        return True

    def set_max_concurrency(self, max_concurrent: int) -> bool:
        """Take how many trials may run at once: trials that were left do not count."""
        self._most = max_concurrent or math.inf
        return True

    def suggest(  # type: ignore[override,unused-ignore]
        self, trial_id: str
    ) -> dict[str, Any] | str | None:
        """Return the configuration of a trial that begins.

        Returns:
            `None` if no trial begins now: all workers are busy, or one that was left goes on.
            `Searcher.FINISHED` once the study stops.

        Raises:
            GittinsError: Ten trials broke, and none reported anything. There is no scheduler.
        """
        if not self._scheduled:
            message = "scheduler: expected GittinsScheduler(search) beside search_alg=search"
            raise InvalidSettingError(message)
        active = sum(course.active for course in self._courses.values())
        if active >= self._most or self._left is not None:
            return None
        silent = all(course.progress == 0.0 for course in self._courses.values())
        if silent and len(self._courses) - active >= _BROKEN:
            message = f"{len(self._courses)} trials began, and none reported anything"
            raise GittinsError(message)
        while not self.study.verdict():
            try:
                ask = self.study.ask()
            except ExhaustedError:
                # What is running may be left, and resumed then.
                return None if active else self._ended()
            if ask.resume is None:
                self._courses[trial_id] = _Course(ask.trial, ask.until)
                return dict(unflatten_dict(dict(ask)))
            if self._resumes(ask):
                return None
        return self._ended()

    def _ended(self) -> str:
        _logger.warning("the search ends: %s", self.study.verdict())
        return str(self.FINISHED)

    def _resumes(self, ask: Ask) -> bool:
        """Whether a trial is to be resumed. If not the study was told what its run comes to."""
        for trial_id, course in self._courses.items():
            if course.trial != ask.trial:
                continue
            course.until = ask.until
            if course.ended:
                self._to_the_end(course)
                return False
            course.active = True
            self._left, self._shown = trial_id, False
            return True
        self.study.tell(ask, failed=True)
        return False

    def result(self, trial_id: str, result: dict[str, Any]) -> str:
        """Return what a trial does after a result, which is reported if a stage ends there."""
        course = self._courses[trial_id]
        progress = self._number(result, self._progress)
        # One that is recovered from a checkpoint says some things again. They are paid for too.
        course.owed += self._number(result, self._cost)
        if progress <= course.progress:
            return str(TrialScheduler.CONTINUE)
        course.progress = progress
        course.outcome = self._number(result, str(self._metric))
        if progress < course.until and math.isfinite(course.outcome):
            return str(TrialScheduler.CONTINUE)
        return str(_DECISIONS[self._report(course, progress)])

    def _number(self, result: dict[str, Any], name: str) -> float:
        if name not in result:
            message = f"the trainable reports no '{name}', but " + ", ".join(sorted(result))
            raise InvalidSettingError(message)
        value = plain(result[name])
        if not isinstance(value, numbers.Real):
            message = f"the trainable reports '{name}' as {value!r}, expected a number"
            raise InvalidSettingError(message)
        return float(value)

    def _report(self, course: _Course, progress: float) -> str:
        """Tell the study of a stage that ended, and return the kind of its advice."""
        owed, course.owed = course.owed, 0.0
        if not math.isfinite(course.outcome):
            self.study.tell(course.trial, failed=True, cost=owed)
            course.active = False
            return "abandon"
        advice: Advice = self.study.report(course.trial, progress, course.outcome, cost=owed)
        course.active = bool(advice)
        course.until = advice.until or course.until
        return advice.kind

    def _to_the_end(self, course: _Course) -> None:
        """Tell that a run has its last outcome in all stages that come."""
        while self._report(course, course.until) == "continue":
            pass

    def on_trial_complete(
        self, trial_id: str, result: dict[str, Any] | None = None, error: bool = False
    ) -> None:
        """Take that a trial ended: by itself, by our decision, or by a failure."""
        course = self._courses.get(trial_id)
        if self._left == trial_id:
            self._left = None
        if course is None or not course.active:
            return
        if not error and result is not None:
            # A last result that says so itself comes only here, others come again.
            again = self._number(result, self._progress) <= course.progress
            course.ended = True
            if again or self.result(trial_id, result) == TrialScheduler.CONTINUE:
                self._to_the_end(course)
            return
        course.active = False
        if error:
            self.study.tell(course.trial, failed=True, cost=course.owed)
        else:
            self.study.withdraw(course.trial)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state without a study that is in memory alone."""
        kept = self._study if isinstance(self._study, Journal) else None
        return {**self.__dict__, "_study": kept}

    def save(self, checkpoint_path: str) -> None:
        """Write which trial is which run."""
        with open(checkpoint_path, "wb") as file:
            pickle.dump(self._courses, file)

    def restore(self, checkpoint_path: str) -> None:
        """Read which trial is which run. All that had not ended are running again."""
        with open(checkpoint_path, "rb") as file:
            self._courses = pickle.load(file)
        trials = self.study.trials()
        known = {course.trial for course in self._courses.values()}
        for one in trials:
            # It was asked for in the step that broke.
            if one.state == "pending" and one.trial not in known:
                self.study.tell(one, failed=True)
        for course in self._courses.values():
            run = trials[course.trial]
            course.active = run.state in ("pending", "paused") and not course.ended
            course.owed = 0.0
            # The study may have heard of a stage after this was written.
            if run.progress > course.progress:
                course.progress, course.outcome = run.progress, run.reports[-1].outcome


class GittinsScheduler(FIFOScheduler):  # type: ignore[misc,unused-ignore]
    """A scheduler of Ray Tune that leaves and resumes trials as the study of a search says.

    After each stage a trial goes on, is paused, or is stopped. A paused trial keeps its checkpoint
    and is resumed if that is worth its price.

    Args:
        search: The `search_alg` of the same `tune.TuneConfig`.

    Raises:
        InvalidSettingError: It is no `GittinsSearch`.
    """

    # Of what begins, errs or ends Ray tells the search: nothing is to be done here, as in the base.
    # No result may come after one that ended a stage.
    _supports_buffered_results = False

    def __init__(self, search: GittinsSearch) -> None:
        if not isinstance(search, GittinsSearch):
            message = f"search: expected a GittinsSearch, got {search!r}"
            raise InvalidSettingError(message)
        super().__init__()  # type: ignore[no-untyped-call,unused-ignore]
        self._search = search
        search._scheduled = True

    @property
    def metric(self) -> str | None:
        """The name of the outcome."""
        return self._search.metric  # type: ignore[no-any-return,unused-ignore]

    def set_search_properties(self, metric: str | None, mode: str | None, **spec: Any) -> bool:
        """Take what `tune.TuneConfig` says; false if it names another metric."""
        settled = self._search._settle(metric, mode)
        if self.metric is None:
            message = "metric: name the outcome, as in GittinsSearch(study, metric='loss')"
            raise InvalidSettingError(message)
        return settled

    def on_trial_result(self, tune_controller: Any, trial: Trial, result: dict[str, Any]) -> str:
        """Return what the trial does: `"CONTINUE"`, `"PAUSE"` or `"STOP"`."""
        return self._search.result(trial.trial_id, result)

    def choose_trial_to_run(self, tune_controller: Any) -> Trial | None:
        """Return the trial to resume, once it is paused. Ray starts those that begin by itself."""
        search = self._search
        if search._left is not None:
            trial = tune_controller.get_trial(search._left)
            if trial.status == Trial.PAUSED:
                search._shown = True
                return trial  # type: ignore[no-any-return,unused-ignore]
            # Before that it writes its checkpoint.
            if search._shown:
                search._left = None
        elif tune_controller.search_alg.is_finished():
            # Nobody will ask for these.
            for trial in list(tune_controller.get_trials()):
                if trial.status == Trial.PAUSED:
                    tune_controller.stop_trial(trial)
        return None

    def debug_string(self) -> str:
        """Return a line for the screen: how many trials there are in which state."""
        states = [trial.state for trial in self._search.study.trials()]
        counts = (f"{states.count(state)} {state}" for state in dict.fromkeys(states))
        return "GittinsScheduler: " + ", ".join(counts)
