"""Three workers share a study in a file, and one of them is killed.

Needs nothing but this package. The script starts itself anew as each worker, so run it as a file.
A worker may be started at any time, on each machine that sees the file:

    python workers.py study.journal
"""

# %% What a worker does: the same as a study by itself, but with a file
import math
import pathlib
import subprocess
import sys
import tempfile
import time

import gittins


def training(rate, depth):
    """Stands for a training: the loss. It takes 0.1 to 0.6 seconds."""
    time.sleep(0.05 * depth)
    return (math.log10(rate) + 2.5) ** 2 / 4 + (depth - 7) ** 2 / 50


def opened(path):
    """Return the study in the file, which is made by whoever comes first."""
    space = gittins.Space().log_float("rate", 1e-5, 1e-1).int("depth", 2, 12)
    return gittins.Journal(
        path,
        space,
        "minimize",
        price=1e-4,  # a second is worth 0.0001 of the loss
        cost="learned",
        cost_unit="s",
        overdue=5.0,  # a trial that takes five times as long as expected is not waited for
    )


def work(path):
    """Evaluate trials until the verdict is to stop."""
    study = opened(path)
    while not study.verdict():
        ask = study.ask()
        since = time.perf_counter()
        loss = training(**ask)
        study.tell(ask, loss, cost=time.perf_counter() - since)


if len(sys.argv) > 1:
    work(sys.argv[1])
    sys.exit()

# %% Three workers, of which one is killed after six trials, amid another
path = str(pathlib.Path(tempfile.mkdtemp()) / "study.journal")
study = opened(path)
workers = [subprocess.Popen([sys.executable, __file__, path]) for _ in range(3)]
while [trial.state for trial in study.trials()].count("complete") < 6:
    if all(worker.poll() is not None for worker in workers):
        sys.exit("no worker is left")
    time.sleep(0.1)
    study.sync()
workers[0].kill()
for worker in workers[1:]:
    if worker.wait() != 0:
        sys.exit("a worker failed")

# %% What came of it, seen by one more process: this one
study.sync()
states = [trial.state for trial in study.trials()]
print(study.verdict())
print(study.recommendation())
print({state: states.count(state) for state in sorted(set(states))})
print(f"{study.spent:.1f} seconds of work, those of the dead worker's trial not known")
