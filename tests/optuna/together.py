"""Processes of ours and of Optuna write to one file at once."""

import multiprocessing
import os
import random
import signal
import time

import optuna
from optuna.samplers import RandomSampler
from optuna.storages import JournalStorage
from optuna.storages.journal import (
    JournalFileBackend,
    JournalFileOpenLock,
    JournalFileSymlinkLock,
)
from optuna.trial import TrialState

from peer import Peer, floats, lines, load, opened, opening, resumed, seen

KINDS = {"x": floats(), "k": {"int": {"low": 1, "high": 9}}}


def optimize(path, trials, seed, lock, queue):
    """A process of Optuna. What it told is what must be in the file."""
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = JournalStorage(JournalFileBackend(path, lock_obj=lock(path)))
    study = optuna.load_study(study_name="a", storage=storage, sampler=RandomSampler(seed=seed))
    told = {}
    for _ in range(trials):
        trial = study.ask()
        x, k = trial.suggest_float("x", 0, 1), trial.suggest_int("k", 1, 9)
        trial.set_user_attr("seed", seed)
        study.tell(trial, x + k)
        told[trial.number] = x + k
    queue.put(told)


def start(path, trials, seed, lock=JournalFileSymlinkLock):
    queue = multiprocessing.Queue()
    process = multiprocessing.Process(target=optimize, args=(path, trials, seed, lock, queue))
    process.start()
    return process, queue


def check_both_write_at_once(folder):
    path = f"{folder}/a.log"
    said = []
    with opened(path, KINDS, seed=1, cost="learned") as first:
        for lock in [JournalFileSymlinkLock, JournalFileOpenLock]:
            theirs = [start(path, 60, seed, lock) for seed in range(3)]
            with resumed(path) as second, opened(path, KINDS, seed=2, cost="learned") as third:
                ours = [first, second, third]
                began = time.monotonic()
                for peer in ours:
                    peer.start({"work": {"trials": 60}})
                told = {}
                for _, queue in theirs:
                    part = queue.get(timeout=300)
                    assert not set(told) & set(part)
                    told |= part
                asked = [number for peer in ours for number in peer.finish()["trials"]]
                for process, _ in theirs:
                    process.join()
                    assert process.exitcode == 0
                said.append(f"{time.monotonic() - began:.1f} s")
                assert len(set(asked)) == len(asked) == 180 and not set(asked) & set(told)
                trials, left_out = third.trials()
                assert left_out == {}, left_out
                assert second.trials() == (trials, left_out) == first.trials()
        # A reader that sees the whole file has nothing else.
        with resumed(path) as fresh:
            again, _ = fresh.trials()
            assert again.keys() == trials.keys()
            assert all(again[n] == trials[n] for n in trials)
    found = load(path).trials
    assert len(found) == len(trials) == 720 and all(t.state.is_finished() for t in found)
    for number, value in told.items():
        assert found[number].value == value == trials[number]["outcome"]
    for trial in found:
        assert trial.params == trials[trial.number]["values"], trial
    assert os.listdir(folder) == ["a.log"], os.listdir(folder)
    return f"720 trials of 6 processes, {' and '.join(said)}"


def check_processes_that_are_killed_leave_a_file_for_all(folder):
    """Nothing that was told is lost. A lock that is left behind is taken over."""
    path = f"{folder}/a.log"
    request = opening(path, KINDS, grace=0.5, initial=100_000)
    random.seed(5)
    told = {}
    follower = None
    for round in range(25):
        peer = Peer()
        peer(request)
        process, _ = start(path, 1000, round)
        until = time.monotonic() + random.uniform(0.05, 0.3)
        while time.monotonic() < until:
            number = peer("ask")["trial"]
            peer.tell(number, outcome=float(number))
            told[number] = float(number)
        peer.start({"work": {"trials": 1000}})
        time.sleep(random.uniform(0.0, 0.05))
        os.kill(peer.process.pid, signal.SIGKILL)
        time.sleep(random.uniform(0.0, 0.05))
        process.kill()
        process.join()
        peer.process.wait()
        peer.process.stdout.close()
        follower = follower or load(path)
    with Peer() as peer:
        peer(request)
        last = peer("ask")["trial"]
        peer.tell(last, outcome=-5.0)
        trials, left_out = peer.trials()
    found = load(path).trials
    assert seen(follower) == seen(load(path))
    assert [t.number for t in found] == list(range(last + 1))
    for number, value in told.items():
        assert found[number].value == value == trials[number]["outcome"], number
    for trial in found:
        if trial.state == TrialState.COMPLETE:
            assert trials[trial.number]["outcome"] == trial.value, trial
    assert set(left_out.values()) <= {"it was pruned"}, left_out
    return f"{len(found)} trials, {len(lines(path))} lines"


def check_a_line_that_a_process_left_unfinished(folder):
    """Of ours or of Optuna's, before or behind other lines."""
    path = f"{folder}/a.log"
    with opened(path, KINDS) as peer:
        peer({"work": {"trials": 3}})
        whole = lines(path)[-1]
        for cut in [1, 9, len(whole) // 2, len(whole) - 1, len(whole)]:
            follower = load(path)
            before = seen(follower)
            with open(path, "ab") as file:
                file.write(whole[:cut])
            # Optuna reads on, and so does a peer; the next one of ours that writes mends the file.
            assert seen(load(path)) == before
            number = peer("ask")["trial"]
            peer.tell(number, outcome=1.0)
            assert len(load(path).trials) == len(before) + 1 == len(follower.trials)
            # Optuna writes behind such a line, and cannot read its own file until we mend it.
            with open(path, "ab") as file:
                file.write(whole[:cut])
            store = load(path)._storage
            operation = {
                "op_code": 4,
                "worker_id": "w",
                "study_id": 0,
                "datetime_start": "2026-11-22T12:00:00.000000+00:00",
            }
            store._backend.append_logs([operation, operation])
            number = peer("ask")["trial"]
            peer.tell(number, outcome=1.0)
            assert len(load(path).trials) == len(before) + 4, (cut, len(load(path).trials))
        trials, _ = peer.trials()
    with resumed(path) as fresh:
        assert fresh.trials()[0] == trials
