#!/usr/bin/env python3
"""A fleet of workers that tune one model in one study, on a PostgreSQL of its own.

Each worker is a process with a `GittinsSampler` and a `GittinsStop`. They share nothing but the
storage. With `--kills` some are killed (SIGKILL) while they work, and others take their places.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from typing import Any

import optuna
import postgres
from optuna.trial import FrozenTrial, TrialState

from gittins.optuna import GittinsSampler

#: As in `worker.py`, which loads what takes long.
STUDY = "fleet"


@dataclass
class Worker:
    """A process, the file in which it says what it does, and whether we killed it."""

    process: subprocess.Popen[bytes]
    journal: pathlib.Path
    is_killed: bool = False

    def events(self) -> list[dict[str, Any]]:
        """Return what it did so far. A last line without an end is not there yet."""
        if not self.journal.exists():
            return []
        lines = self.journal.read_text().split("\n")[:-1]
        return [json.loads(line) for line in lines]

    def is_at_work(self) -> bool:
        """Return whether it is in the study."""
        return self.process.poll() is None and any(e["event"] == "start" for e in self.events())


class Fleet:
    """The workers, alive and dead."""

    def __init__(self, folder: pathlib.Path, url: str, asked: argparse.Namespace) -> None:
        self._folder, self._url, self._asked = folder, url, asked
        self.workers: list[Worker] = []

    def start(self) -> None:
        """Start another worker."""
        journal = self._folder / f"worker{len(self.workers)}.jsonl"
        program = pathlib.Path(__file__).with_name("worker.py")
        command = [sys.executable, str(program), self._url, str(journal)]
        for name in ("hour", "trials", "overdue", "grace"):
            command += [f"--{name}", str(getattr(self._asked, name))]
        with (self._folder / f"worker{len(self.workers)}.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log)
        self.workers.append(Worker(process, journal))

    def alive(self) -> list[Worker]:
        """Return the workers that have not ended."""
        return [worker for worker in self.workers if worker.process.poll() is None]

    def run(self) -> None:
        """Start the workers, kill some if that is wanted, and wait for the others."""
        draws = random.Random(self._asked.seed)
        for _ in range(self._asked.workers):
            self.start()
        kills = self._asked.kills
        while self.alive():
            time.sleep(0.2 if not kills else draws.expovariate(1.0 / self._asked.every))
            victims = [worker for worker in self.alive() if worker.is_at_work()] if kills else []
            if victims:
                victim = draws.choice(victims)
                victim.is_killed = True
                victim.process.kill()
                victim.process.wait()
                kills -= 1
                self.start()

    def end(self) -> None:
        """End what is left, if we were interrupted."""
        for worker in self.alive():
            worker.process.kill()
            worker.process.wait()


def chosen(workers: list[Worker]) -> dict[int, float]:
    """Return when the points of trials were there: the moments at which their work began."""
    events = (event for worker in workers for event in worker.events())
    return {event["trial"]: event["time"] for event in events if event["event"] == "begin"}


def twins(trials: list[FrozenTrial], workers: list[Worker]) -> list[tuple[int, int]]:
    """Return the pairs of trials with one point of which one began while the other was under way.

    A trial exists before its point is chosen. What ended in between may be repeated on purpose.
    """
    began, found = chosen(workers), []
    for trial in trials:
        for other in trials[: trial.number]:
            ended = other.datetime_complete
            is_open = trial.number in began and (
                ended is None or began[trial.number] < ended.timestamp()
            )
            if is_open and trial.params == other.params:
                found.append((other.number, trial.number))
    return found


def lost(trials: list[FrozenTrial], workers: list[Worker]) -> list[str]:
    """Return what the storage should know of and does not, in words."""
    wrong = []
    if [trial.number for trial in trials] != list(range(len(trials))):
        wrong.append("numbers are missing")
    for number, worker in enumerate(workers):
        begun: set[int] = set()
        for event in worker.events():
            if event["event"] == "begin":
                begun.add(event["trial"])
            elif event["event"] == "end":
                begun.discard(event["trial"])
                told = trials[event["trial"]]
                if told.state != TrialState.COMPLETE or told.value != event["value"]:
                    wrong.append(f"trial {told.number} of worker {number} is not as it was told")
        if begun and not worker.is_killed:
            wrong.append(f"worker {number} left the trials {sorted(begun)}")
    running = {trial.number for trial in trials if trial.state == TrialState.RUNNING}
    # Who is killed while it chooses a point has not written that it began.
    kills = sum(worker.is_killed for worker in workers)
    failed = {trial.number for trial in trials if trial.state == TrialState.FAIL}
    if failed - repeated(trials):
        wrong.append(f"the trials {sorted(failed - repeated(trials))} failed")
    if len(failed | running) > kills:
        wrong.append(f"{len(failed | running)} trials have not ended, {kills} workers were killed")
    return wrong


def repeated(trials: list[FrozenTrial]) -> set[int]:
    """Return the numbers of the trials that Optuna enqueued again."""
    return {n for trial in trials for n in trial.system_attrs.get("retry_history", ())}


def begun_after_stop(trials: list[FrozenTrial], workers: list[Worker]) -> tuple[int, int]:
    """Return how many workers saw the stop, and how many trials one began after it at most."""
    seen: dict[int, float] = {}
    for number, worker in enumerate(workers):
        for event in worker.events():
            if event["event"] == "time" and event["stop"]:
                seen.setdefault(number, event["time"])
    if not seen:
        return 0, 0
    first = min(seen.values())
    most = 0
    for worker in workers:
        began = [event["trial"] for event in worker.events() if event["event"] == "begin"]
        late = [n for n in began if trials[n].datetime_start.timestamp() > first]
        most = max(most, len(late))
    return len(seen), most


def report(study: optuna.Study, fleet: Fleet, wall: float, wait: float) -> dict[str, Any]:
    """Return what the fleet did. Times of workers are shares of their time in the study."""
    trials = study.get_trials(deepcopy=False)
    states = collections.Counter(trial.state.name for trial in trials)
    times = [
        found[-1]
        for worker in fleet.workers
        if (found := [e for e in worker.events() if e["event"] == "time"])
    ]
    total = {
        name: sum(time[name] for time in times)
        for name in ("wall", "storage", "calls", "objective", "cpu")
    }
    ended = [trial for trial in trials if trial.state == TrialState.COMPLETE]
    durations = [trial.duration.total_seconds() for trial in ended if trial.duration]
    saw, late = begun_after_stop(trials, fleet.workers)
    said = study.user_attrs.get("gittins:stop") or {}
    dead = [trial.number for trial in trials if trial.state == TrialState.RUNNING]
    best = study.best_trial
    return {
        "workers": len(fleet.workers),
        "kills": sum(worker.is_killed for worker in fleet.workers),
        "failed_workers": sum(
            worker.process.returncode != 0 and not worker.is_killed for worker in fleet.workers
        ),
        "trials": len(trials),
        "states": dict(states),
        "best": best.value,
        "best_params": best.params,
        "wall_seconds": wall,
        "cpu_seconds": total["cpu"],
        "median_duration": statistics.median(durations),
        "longest_duration": max(durations),
        "share_objective": total["objective"] / total["wall"],
        "share_storage": total["storage"] / total["wall"],
        "storage_ms_per_trial": 1e3 * total["storage"] / len(ended),
        "storage_calls_per_trial": total["calls"] / len(ended),
        "share_rest": 1.0 - (total["objective"] + total["storage"]) / total["wall"],
        "duplicates": twins(trials, fleet.workers),
        "lost": lost(trials, fleet.workers),
        "stop": said.get("words"),
        "stop_after": said.get("trials"),
        "workers_that_saw_the_stop": saw,
        "begun_after_the_stop_by_one_worker": late,
        "repeated": sorted(repeated(trials)),
        "dead": dead,
        "dropped": dropped(study, wait) if dead else [],
    }


def dropped(study: optuna.Study, wait: float) -> list[int]:
    """Return the trials of dead workers that are not waited for, after some seconds at most."""
    sampler = study.sampler
    assert isinstance(sampler, GittinsSampler)
    deadline = time.monotonic() + wait
    dead = [trial.number for trial in study.trials if trial.state == TrialState.RUNNING]
    while True:
        found = sampler.overdue_trials(study)
        if set(found) == set(dead) or time.monotonic() > deadline:
            return found
        time.sleep(1.0)


def table(said: dict[str, Any]) -> str:
    """Return the report as lines of text."""

    def percent(name: str) -> str:
        return f"{100.0 * said[name]:.1f} %"

    states = ", ".join(f"{count} {name.lower()}" for name, count in said["states"].items())
    rows = [
        ("trials", f"{said['trials']} ({states})"),
        ("best log loss", f"{said['best']:.4f}"),
        ("best point", ", ".join(f"{k} {shown(v)}" for k, v in said["best_params"].items())),
        ("seconds", f"{said['wall_seconds']:.0f}, of CPU {said['cpu_seconds']:.0f}"),
        (
            "a trial's seconds",
            f"median {said['median_duration']:.2f}, longest {said['longest_duration']:.1f}",
        ),
        (
            "time of workers",
            f"objective {percent('share_objective')}, storage "
            f"{percent('share_storage')}, rest {percent('share_rest')}",
        ),
        (
            "storage per trial",
            f"{said['storage_ms_per_trial']:.0f} ms in {said['storage_calls_per_trial']:.0f} calls",
        ),
        ("duplicates", str(len(said["duplicates"]))),
        ("the stop", said["stop"] or "none: the limit of trials came first"),
        (
            "saw the stop",
            f"{said['workers_that_saw_the_stop']} workers; after it one began "
            f"{said['begun_after_the_stop_by_one_worker']} trials at most",
        ),
        ("workers", f"{said['workers']}, {said['kills']} killed, {said['failed_workers']} failed"),
        (
            "trials of the dead",
            f"{len(said['dead'])}, of which {len(said['dropped'])} are not waited for",
        ),
        ("repeated", f"{len(said['repeated'])} trials of the dead"),
        ("lost", "; ".join(said["lost"]) or "nothing"),
    ]
    return "\n".join(f"{name:<20}{value}" for name, value in rows)


def shown(value: Any) -> str:
    """Return a value in few characters."""
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def main() -> int:
    """Run a fleet. Returns 1 if something was lost or a worker failed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.ArgumentDefaultsHelpFormatter
    )
    parser.add_argument("--workers", type=int, default=8, help="processes at a time")
    parser.add_argument("--trials", type=int, default=200, help="complete trials at most")
    parser.add_argument("--hour", type=float, default=0.02, help="log loss that an hour is worth")
    parser.add_argument("--kills", type=int, default=0, help="how often a worker is killed")
    parser.add_argument("--every", type=float, default=2.0, help="mean seconds between kills")
    parser.add_argument(
        "--overdue",
        type=float,
        default=5.0,
        help="times of its predicted duration that a trial is waited for",
    )
    parser.add_argument(
        "--wait", type=float, default=300.0, help="seconds for the trials of the dead to be dropped"
    )
    parser.add_argument(
        "--grace",
        type=float,
        default=0.0,
        help="seconds of silence after which Optuna repeats the trial of a worker; 0: never",
    )
    parser.add_argument("--seed", type=int, default=1, help="of the kills")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--keep", help="a folder to keep what the workers wrote in")
    asked = parser.parse_args()
    for name in ("workers", "trials", "hour", "every"):
        if not 0 < getattr(asked, name) < math.inf:
            parser.error(f"--{name}: expected a positive number, got {getattr(asked, name)}")
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    with tempfile.TemporaryDirectory(prefix="fleet-") as name:
        folder = pathlib.Path(name)
        # The server may be run by another user.
        folder.chmod(0o755)
        (folder / "pg").mkdir()
        try:
            server = postgres.Postgres(folder / "pg")
        except postgres.NoPostgresError as error:
            print(f"error: {error}", file=sys.stderr)
            return 2
        with server:
            storage = optuna.storages.RDBStorage(server.url)
            sampler = GittinsSampler(overdue=asked.overdue)
            study = optuna.create_study(study_name=STUDY, storage=storage, sampler=sampler)
            fleet = Fleet(folder, server.url, asked)
            began = time.monotonic()
            try:
                fleet.run()
                said = report(study, fleet, time.monotonic() - began, asked.wait)
            finally:
                fleet.end()
                storage.engine.dispose()
                if asked.keep:
                    shutil.copytree(folder, asked.keep, ignore=shutil.ignore_patterns("pg"))
    print(json.dumps(said, indent=1) if asked.json else table(said))
    return int(bool(said["lost"] or said["failed_workers"]))


if __name__ == "__main__":
    sys.exit(main())
