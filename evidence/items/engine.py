"""This library on a table: its program `serve`, told what each batch came to."""

import json
import subprocess

import numpy as np

from tables import Run


class Serve:
    """The program `serve`: a line of JSON for each call."""

    def __init__(self, binary):
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([binary], stdin=pipe, stdout=pipe, text=True, bufsize=1)

    def __call__(self, call):
        self.process.stdin.write(json.dumps(call) + "\n")
        answer = json.loads(self.process.stdout.readline())
        if answer and "error" in answer:
            raise ValueError(f"{call}: {answer['error']}")
        return answer

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def play(binary, scores, costs, marks, seed, price=None, listed=False):
    """The regrets at the sums `marks`, or with a price the share that was paid and the regret.

    `listed`: what all items of each arm cost is known beforehand.
    """
    run, serve = Run(scores, costs, marks), Serve(binary)
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
        except ValueError:  # every item was bought
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
    serve.close()
    regret = run.truth.max() - run.truth[run.choice]
    return run.end() if price is None else np.array([run.spent / costs.sum(), regret])
