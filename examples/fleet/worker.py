"""One worker of the fleet: it tunes a classifier in a study that others share, until the stop.

It writes a journal of what it did, a line of JSON each. A worker may be killed at any moment, so
what it did last is on the disk already.
"""

from __future__ import annotations

import argparse
import json
import os
import threading
import time
import warnings
from typing import Any

# Before NumPy comes: each worker is one thread.
os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import optuna
from optuna.storages import BaseStorage, RDBStorage
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from gittins.optuna import GittinsSampler, GittinsStop

STUDY = "fleet"


class Clock:
    """Seconds inside calls, of the outermost call in each thread."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.calls = 0
        self._local = threading.local()
        self._lock = threading.Lock()

    def timed(self, function: Any) -> Any:
        """Return the function with its time counted."""

        def call(*args: Any, **named: Any) -> Any:
            if getattr(self._local, "inside", False):
                return function(*args, **named)
            self._local.inside = True
            began = time.perf_counter()
            try:
                return function(*args, **named)
            finally:
                self._local.inside = False
                with self._lock:
                    self.seconds += time.perf_counter() - began
                    self.calls += 1

        return call

    def watch(self, storage: BaseStorage) -> BaseStorage:
        """Count all calls of a storage."""
        for name in dir(BaseStorage):
            if not name.startswith("_") and callable(getattr(storage, name)):
                setattr(storage, name, self.timed(getattr(storage, name)))
        return storage


class Journal:
    """What this worker did. A line is one call of the system, so a kill leaves whole lines."""

    def __init__(self, path: str) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def write(self, event: str, **said: Any) -> None:
        """Write a line."""
        line = json.dumps({"event": event, "time": time.time(), **said})
        os.write(self._file, line.encode() + b"\n")


def storage_at(url: str, grace: float) -> RDBStorage:
    """Return a storage that repeats the trials of workers that were silent for so many seconds.

    If `grace` is zero, it repeats none.
    """
    if grace <= 0.0:
        return RDBStorage(url)
    return RDBStorage(
        url,
        heartbeat_interval=max(1, int(grace / 5)),
        grace_period=max(1, int(grace)),
        heartbeat_stale_trial_callback=optuna.storages.RetryHeartbeatStaleTrialCallback(),
    )


def loss(trial: optuna.Trial, images: Any, digits: Any) -> float:
    """Return the cross-validated log loss of a classifier of digits.

    A logistic regression or a small forest takes a tenth of a second, a wide network takes seconds.
    Which parameters there are depends on the model.
    """
    model: Any
    kind = trial.suggest_categorical("model", ["logistic", "forest", "network"])
    if kind == "logistic":
        c = trial.suggest_float("c", 1e-4, 1e2, log=True)
        model = make_pipeline(StandardScaler(), LogisticRegression(C=c, max_iter=200))
    elif kind == "forest":
        model = ExtraTreesClassifier(
            n_estimators=trial.suggest_int("trees", 5, 300, log=True),
            max_depth=trial.suggest_int("depth", 3, 20),
            max_features=trial.suggest_float("features", 0.05, 1.0),
            random_state=0,
        )
    else:
        network = MLPClassifier(
            hidden_layer_sizes=(trial.suggest_int("units", 8, 256, log=True),),
            learning_rate_init=trial.suggest_float("rate", 1e-4, 1e-1, log=True),
            alpha=trial.suggest_float("decay", 1e-6, 1e1, log=True),
            max_iter=40,
            random_state=0,
        )
        model = make_pipeline(StandardScaler(), network)
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    scores = cross_val_score(model, images, digits, cv=folds, scoring="neg_log_loss")
    return float(-scores.mean())


def main() -> None:
    """Work until the study stops."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", help="the storage")
    parser.add_argument("journal", help="the file to write what was done into")
    parser.add_argument("--hour", type=float, required=True, help="the worth of an hour")
    parser.add_argument("--trials", type=int, required=True, help="complete trials at most, of all")
    parser.add_argument("--overdue", type=float, required=True)
    parser.add_argument("--grace", type=float, default=0.0, help="seconds of silence of the dead")
    asked = parser.parse_args()

    # A fit that did not converge has a loss like any other.
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    journal = Journal(asked.journal)
    clock = Clock()
    images, digits = load_digits(return_X_y=True)
    storage = clock.watch(optuna.storages.get_storage(storage_at(asked.url, asked.grace)))
    sampler = GittinsSampler(overdue=asked.overdue)
    study = optuna.load_study(study_name=STUDY, storage=storage, sampler=sampler)
    began = time.perf_counter()
    clock.seconds, clock.calls = 0.0, 0
    computed = 0.0

    def objective(trial: optuna.Trial) -> float:
        nonlocal computed
        journal.write("begin", trial=trial.number)
        start = time.perf_counter() - clock.seconds
        try:
            return loss(trial, images, digits)
        finally:
            # The storage is asked for parameters, too. That time is not the model's.
            computed += time.perf_counter() - clock.seconds - start

    stop = GittinsStop(hour=asked.hour)

    def after(study: optuna.Study, trial: optuna.trial.FrozenTrial) -> None:
        """Stop if the stop says so, and write what was done so far."""
        journal.write("end", trial=trial.number, value=trial.value)
        stop(study, trial)
        said = study.user_attrs.get("gittins:stop")
        journal.write(
            "time",
            wall=time.perf_counter() - began,
            storage=clock.seconds,
            calls=clock.calls,
            objective=computed,
            cpu=time.process_time(),
            stop=said,
        )

    most = optuna.study.MaxTrialsCallback(asked.trials, states=(optuna.trial.TrialState.COMPLETE,))
    journal.write("start")
    study.optimize(objective, callbacks=[after, most])
    journal.write("left")


if __name__ == "__main__":
    main()
