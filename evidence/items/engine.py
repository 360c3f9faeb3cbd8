"""This library on a table: its program `serve`, told what each batch came to."""

import sys
from pathlib import Path

import numpy as np

from tables import Run

sys.path.append(str(Path(__file__).parents[1] / "contest"))

from server import Server


def play(binary, scores, costs, marks, seed, price=None, listed=False):
    """The regrets at the sums `marks`, or with a price the share that was paid and the regret.

    `listed`: what all items of each arm cost is known beforehand.
    """
    run, server = Run(scores, costs, marks), Server([binary])
    serve = server.say
    names = [f"c{arm}" for arm in range(len(scores))]
    known = {"linear": {"terms": [["arm", dict(zip(names, costs.sum(1)))]]}}
    study = {
        "direction": "maximize", "seed": seed, "cost": known if listed else "learned",
        "space": {"parameters": [{"name": "arm", "kind": {"choice": {"names": names}}}]},
        "stages": {"items": scores.shape[1]},
    }
    study |= {"budget": marks[-1]} if price is None else {
        "policy": {"name": "gittins", "price": price}
    }
    serve(study)
    arms, going = {}, True

    def choose():
        found = serve("recommendation")
        known = found and found.get("trial") in arms
        run.choice = arms[found["trial"]] if known else next(iter(arms.values()), 0)

    while going and not (price and serve("verdict")["stop"]):
        try:
            ask = serve("ask")
        except RuntimeError:  # every item was bought
            break
        trial, until = ask["trial"], int(ask["until"])
        arm = arms.setdefault(trial, int(ask["values"][0][1:]))
        done = int(ask["resume"] or 0)
        while True:
            cost = costs[arm, done:until].sum()
            if run.reached < len(marks) and run.spent + cost > marks[run.reached]:
                choose()
            going = run.pay(cost) or price is not None
            if not going:
                break
            mean = float(scores[arm, done:until].mean())
            report = {"trial": trial, "progress": until, "outcome": mean, "cost": float(cost)}
            advice = serve({"report": report})
            if advice["advice"] != "continue":
                break
            done, until = until, int(advice["until"])
    choose()
    server.close()
    regret = run.truth.max() - run.truth[run.choice]
    return run.end() if price is None else np.array([run.spent / costs.sum(), regret])
