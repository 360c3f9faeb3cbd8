"""This library in instalments and on whole trials, by the program `serve`.

Each plays one study with an account until the money is spent, also beyond its stop.
"""

from server import Server


class Study:
    """A study that is served. `stop` has the units at its first stop, and the words."""

    def __init__(self, account, seed, command, settings, stages=None):
        self.account, self.problem, self.stop = account, account.problem, None
        opening = {"direction": "minimize", "seed": seed, "cost": "learned"}
        opening["space"] = {"parameters": [p.description() for p in self.problem.parameters]}
        if self.problem.floor and stages is None:
            opening["cost_floor"] = self.problem.floor
        if stages is not None:
            opening["stages"] = stages
        self.server = Server(command)
        self.server.say(opening | settings)

    def ask(self):
        """The next trial; before the first stop it says whether that is worth it."""
        if self.stop is None:
            verdict = self.server.say("verdict")
            if verdict["stop"]:
                self.stop = [self.account.units, verdict["words"]]
        return self.server.say("ask")

    def fail(self, number, cost):
        self.server.say({"tell": {"trial": number, "failed": True, "cost": cost}})


def whole(study):
    """Trials that are paid to the end."""
    account = study.account
    while True:
        asked = study.ask()
        trial = account.start(asked["values"])
        loss = account.pay(trial, len(study.problem.rungs))
        if loss is None:
            study.fail(asked["trial"], trial.cost)
        else:
            told = {"trial": asked["trial"], "outcome": loss, "cost": trial.cost}
            study.server.say({"tell": told})


def staged(study):
    """Trials that are paid rung by rung, as far as the study says."""
    rungs, trials = study.problem.rungs, {}
    while True:
        asked = study.ask()
        number, until = asked["trial"], asked["until"]
        if asked["resume"] is None:
            trials[number] = study.account.start(asked["values"])
        trial = trials.get(number)
        paid = rungs[trial.paid - 1] if trial and trial.paid else None
        if trial is None or asked["resume"] != paid:
            raise RuntimeError(f"trial {number}: asked to resume from {asked['resume']}, "
                               f"but its checkpoint is at {paid}")
        if instalments(study, number, trial, until) != "pause":
            del trials[number]


def instalments(study, number, trial, until):
    """Pays a trial for as long as the advice is to go on; what was said last."""
    rungs = study.problem.rungs
    while True:
        rung = rungs.index(until) + 1 if until in rungs else 0
        if rung <= trial.paid:
            raise RuntimeError(f"trial {number}: until {until} is no report after {trial.paid} of "
                               f"{list(rungs)}")
        before = trial.cost
        loss = study.account.pay(trial, rung)
        cost = trial.cost - before
        if loss is None:
            study.fail(number, cost)
            return "failed"
        report = {"trial": number, "progress": until, "outcome": loss, "cost": cost}
        said = study.server.say({"report": report})
        if said["advice"] != "continue":
            return said["advice"]
        until = said["until"]


#: Whether a trial may be left and resumed; `None` for whole trials.
LABELS = {"whole": None, "instalments": True, "pruner": False}


def play(label, study):
    (whole if LABELS[label] is None else staged)(study)


def stages(label, problem):
    """What the opening line says of instalments."""
    if LABELS[label] is None:
        return None
    return {"total": problem.total, "reports": list(problem.rungs), "resumable": LABELS[label]}
