"""Optuna reads runs in stages."""

import json

import optuna
from optuna.trial import TrialState

from peer import Peer, floats, load, space

STAGES = {"total": 27, "reports": [3, 9, 27]}
STATES = {"pending": "RUNNING", "paused": "RUNNING", "complete": "COMPLETE", "abandoned": "PRUNED", "failed": "FAIL", "withdrawn": "FAIL"}


def loss(x, until):
    return (x - 0.3) ** 2 + 0.5 / until


def play(peer, turns):
    for turn in range(turns):
        ask = peer("ask")
        trial, until, before = ask["trial"], ask["until"], ask["resume"] or 0
        if turn % 9 == 5:
            peer.tell(trial, failed=True, cost=0.5)
            continue
        advice = {"advice": "continue"}
        while advice["advice"] == "continue":
            report = {"trial": trial, "progress": until, "outcome": loss(ask["values"][0], until), "cost": until - before}
            advice = peer({"report": report})
            before, until = until, advice.get("until")


def compare(path, peer):
    study = load(path)
    runs = peer("trials")["trials"]
    assert len(study.trials) == len(runs)
    for theirs, ours in zip(study.trials, runs):
        reports = ours.get("reports", [])
        assert theirs.state.name == STATES[ours["state"]], (theirs, ours)
        assert theirs.params == {"x": ours["values"][0]}
        assert theirs.intermediate_values == {int(r["progress"]): r["outcome"] for r in reports}
        assert theirs.user_attrs.get("cost", 0.0) == ours.get("cost", 0.0)
        if ours["state"] in ("complete", "abandoned"):
            assert theirs.value == reports[-1]["outcome"]
    return study


def opened(path, **stages):
    peer = Peer()
    settings = {"direction": "minimize", "space": space(x=floats()), "seed": 3, "stages": {**STAGES, **stages}}
    peer({"open": {"path": path, "study": settings}})
    return peer


def check_runs_in_stages(folder):
    path = f"{folder}/a.log"
    with opened(path) as peer:
        play(peer, 60)
        study = compare(path, peer)
        assert study.best_value == min(t.value for t in study.get_trials(states=[TrialState.COMPLETE]))
        assert len(study.get_trials(states=[TrialState.FAIL])) > 3
        # Others may note something, and ask for trials of their own: they are none of ours.
        study.set_user_attr("by", "somebody else")
        study.enqueue_trial({"x": 0.25})
        study.sampler = optuna.samplers.RandomSampler(seed=0)
        study.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=2)
        before = json.dumps(peer("trials"))
    with Peer() as again:
        again({"resume": {"path": path}})
        assert json.dumps(again("trials")) == before
        play(again, 6)
    return f"{len(study.trials)} runs"


def check_runs_that_cannot_be_resumed_are_pruned(folder):
    path = f"{folder}/a.log"
    with opened(path, resumable=False) as peer:
        play(peer, 40)
        study = compare(path, peer)
    assert len(study.get_trials(states=[TrialState.PRUNED])) > 5
    return f"{len(study.trials)} runs"
