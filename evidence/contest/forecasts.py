"""Whether runs come to what is forecast of them, inside studies.

After each report a study in instalments is asked what the run will come to. Recorded curves know
it, also of runs that are left.
"""

import collections

import numpy as np

import instalments
import staged
import store
from report import table as aligned

#: Half widths of the intervals of 80 and 95 % of a normal distribution, in deviations.
WIDTHS = (1.2816, 1.96)
#: Errors in deviations count up to this: trainings that explode would be all that a mean shows.
LARGEST = 5.0


class Known(staged.Account):
    """An account that keeps its trials, the end of each of which is known."""

    def __init__(self, problem):
        super().__init__(problem)
        self.trials = []

    def start(self, values):
        self.trials.append(super().start(values))
        return self.trials[-1]


class Asking:
    """A server that is asked for a forecast after each report. `found` has the number of reports of
    the run so far, mean and deviation, and the end."""

    def __init__(self, server, trials):
        self.server, self.trials, self.found = server, trials, []

    def say(self, line):
        answer = self.server.say(line)
        if isinstance(line, dict) and "report" in line:
            trial = self.trials[line["report"]["trial"]]
            forecast = self.server.say({"forecast": line["report"]["trial"]})["forecast"]
            if forecast is not None and trial.curve.losses[-1] is not None:
                self.found.append([trial.paid, forecast["mean"], forecast["sd"], trial.curve.losses[-1]])
        return answer

    def close(self):
        self.server.close()


def play(spec, study, account):
    """One study, with an account of this module: the record that is kept of it. A spec is what
    `curves.todo` gives."""
    study.server = Asking(study.server, account.trials)
    try:
        instalments.play(spec["engine"], study)
    except staged.Spent:
        pass
    finally:
        study.server.close()
    kept = {key: spec[key] for key in ("suite", "problem", "engine", "seed", "price")}
    return kept | {"forecasts": study.server.found}


def coverage(suite, path, wanted):
    """Prints the table of the studies that a file keeps and that are wanted, by problem and seed."""
    stages = collections.defaultdict(list)
    for key, record in store.runs(path).items():
        for paid, mean, sd, end in record["forecasts"] if key in wanted else []:
            stages[paid].append((end - mean) / sd)
    heads = [suite, "forecasts", "inside 80 %", "better", "worse", "inside 95 %", "mean z", "rms z"]
    rows = [row(f"after report {paid}", z) for paid, z in sorted(stages.items())]
    rows.append(row("all", [z for each in stages.values() for z in each]))
    print(aligned(heads, rows))


def row(name, z):
    """The shares inside intervals and on both sides of the first, and the moments of the errors. An
    error is positive if the end is worse than forecast, and counts up to `LARGEST`."""
    z = np.clip(z, -LARGEST, LARGEST)
    inside = [np.abs(z) <= width for width in WIDTHS]
    shares = [inside[0], z < -WIDTHS[0], z > WIDTHS[0], inside[1]]
    return [name, len(z), *(f"{100 * np.mean(share):.0f}" for share in shares),
            f"{np.mean(z):+.2f}", f"{np.sqrt(np.mean(z * z)):.2f}"]
