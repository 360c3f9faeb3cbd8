"""A process of ours that has a journal open, and what both sides say of one."""

import json
import math
import os
import subprocess

import optuna
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend

PROGRAM = None


class Refused(Exception):
    """The answer of a peer that could not follow."""


class Peer:
    """Talks to a process. One that is left is told so by the end of its input."""

    def __init__(self, environment=None):
        self.process = subprocess.Popen(
            [PROGRAM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "GITTINS_BACKEND": "cpu", **(environment or {})},
        )

    def start(self, request):
        """Asks without waiting."""
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def finish(self):
        """The answer to what was asked."""
        line = self.process.stdout.readline()
        assert line, f"the peer ended with {self.process.wait()}"
        answer = json.loads(line)
        if "error" in answer:
            raise Refused(answer["error"])
        return answer

    def __call__(self, request):
        self.start(request)
        return self.finish()

    def tell(self, trial, **told):
        return self({"tell": {"trial": trial, **told}})

    def trials(self):
        """The trials of the study by their numbers in the file, and why others are left out."""
        said = self("trials")
        left_out = {int(number): why for number, why in said["left_out"].items()}
        return {trial["number"]: trial for trial in said["trials"]}, left_out

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait(30)
        self.process.stdout.close()


def space(**kinds):
    """A space of parameters. A kind may come with conditions."""
    parameters = []
    for name, kind in kinds.items():
        kind, when = kind if isinstance(kind, tuple) else (kind, [])
        parameters.append({"name": name, "kind": kind, **({"when": when} if when else {})})
    return {"parameters": parameters}


def floats(low=0.0, high=1.0):
    return {"float": {"low": low, "high": high}}


def opening(path, kinds=None, name=None, grace=None, **settings):
    """The request that opens a journal."""
    kinds = kinds or {"x": floats()}
    study = {"direction": "minimize", "space": space(**kinds), **settings}
    return {"open": {"path": path, "name": name, "grace": grace, "study": study}}


def opened(path, kinds, **settings):
    """A peer with a journal open. The initial design has so many points that none takes time."""
    peer = Peer()
    peer(opening(path, kinds, **{"initial": 100_000, **settings}))
    return peer


def resumed(path, name=None, environment=None):
    peer = Peer(environment)
    peer({"resume": {"path": path, "name": name}})
    return peer


def storage(path):
    return JournalStorage(JournalFileBackend(path))


def load(path, name=None, sampler=None):
    """The study as a new process of Optuna has it."""
    store = storage(path)
    if name is None:
        (name,) = optuna.get_all_study_names(store)
    return optuna.load_study(study_name=name, storage=store, sampler=sampler)


def lines(path):
    with open(path, "rb") as file:
        return file.read().split(b"\n")[:-1]


def seen(study):
    """What Optuna has of each trial, for comparing."""
    return [
        (
            t.number,
            t.state.name,
            t.value,
            t.params,
            t.user_attrs,
            t.system_attrs,
            t.distributions,
            t.datetime_start,
            t.datetime_complete,
            t.intermediate_values,
        )
        for t in study.get_trials(deepcopy=False)
    ]


def same(a, b):
    """Whether two numbers are the same, to the last bit."""
    if a is None or b is None:
        return a is b
    return a == b and math.copysign(1, a) == math.copysign(1, b)


def as_ours(value):
    """A value of Optuna's as ours: what is no name, number or flag is the name of its JSON."""
    return value if isinstance(value, (str, bool, int, float)) else json.dumps(value)
