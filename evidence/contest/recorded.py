"""Learning curves that others recorded, in a folder that is no part of this package.

README.md of the folder above says what it holds: LCBench's surrogate, TaskSet and CLIP trainings.
"""

import csv
import functools
import gzip
import json
import math
import pathlib
import sys

import numpy as np

from space import Parameter, numbers
from staged import Curve, Rows, Staged, scale

LCBENCH = (
    "Amazon_employee_access", "Fashion-MNIST", "KDDCup09_appetency", "MiniBooNE", "adult",
    "airlines", "albert", "bank-marketing", "car", "christine", "connect-4", "credit-g", "dionis",
    "fabert", "helena", "higgs", "jannis", "jungle_chess_2pcs_raw_endgame_complete",
    "mfeat-factors", "phoneme", "segment", "volkert",
)
TASKSET = (
    "patch128_LSTM128_avg_bs64", "patch128_LSTM128_embed128_bs64", "patch32_LSTM128_E128_bs128",
    "patch32_VRNN128_tanh_bs128", "patch32_VRNN64_relu_avg_bs128", "patch32_VRNN64_tanh_avg_bs128",
)
CLIP = ("clip",)

#: Epochs of 52.
EPOCHS = (3, 6, 11, 19, 32, 52)
#: Trials at random that say how good and how long they are; the first of them are paid in full.
DRAWS, PAID = 5000, 1000
#: Points of 50, of which each has the same price.
POINTS = (3, 6, 10, 17, 29, 50)
#: A training of TaskSet that explodes, to NaN or to 1e14, counts as four times chance.
EXPLODED = 4 * math.log(2)
#: Of TaskSet. Those of the betas are of their distance from one.
RANGES = {"learning_rate": (1e-8, 10.0), "beta1": (1e-4, 1.0), "beta2": (1e-6, 1.0),
          "epsilon": (1e-10, 1e3), "l1": (1e-8, 10.0), "l2": (1e-8, 10.0),
          "linear_decay": (1e-7, 1e-4), "exponential_decay": (1e-6, 1e-3)}
#: Percent of a CLIP training, whose setting chooses its epochs. A rung is the first epoch that
#: reaches it. No rung between a half and the whole: the second of two epochs would be on it.
PERCENT = (10, 20, 33, 50, 100)
WIDTHS = (32, 64, 128, 192, 256, 320, 384, 448, 512)
CLIPPED = (
    Parameter("lr", "log_float", 1e-5, 5e-2), Parameter("wd", "log_float", 1e-6, 0.2),
    Parameter("beta1", "float", 0.9, 0.99), Parameter("beta2", "float", 0.95, 0.999),
    Parameter("eps", "log_float", 1e-8, 1e-6), Parameter("warmup_fraction", "float", 0.0, 0.75),
    numbers("batch_size", 512, 2048, 4096, 8192),
    numbers("vision_width", *WIDTHS), numbers("text_width", *WIDTHS),
    Parameter("samples_per_epoch", "int", 300_000, 12_000_000),
    Parameter("total_epochs", "int", 2, 10),
)


def files(suite, id):
    """What has to be in the folder."""
    if suite.startswith("lcbench"):
        return [f"lcbench.{end}" for end in ("py", "json", "bin")]
    return ["clip_runs.csv.gz" if suite == "clip" else f"taskset_{id}.csv.gz"]


def problem(suite, id, folder, cache):
    made = {"taskset": taskset, "clip": clip}.get(suite)
    return made(id, folder) if made else lcbench(suite, id, folder, cache)


@functools.cache
def surrogate(folder):
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
    import lcbench

    return lcbench.Lcbench()


def lcbench(suite, id, folder, cache):
    bench = surrogate(pathlib.Path(folder))
    meta = bench.net.meta
    row = next(one["id"] for one in meta["data_sets"] if one["name"] == id)
    kinds = {(False, False): "float", (True, False): "log_float",
             (False, True): "int", (True, True): "log_int"}
    parameters = []
    for one in meta["parameters"]:
        bounds = [one["lower"], one["upper"]]
        bounds = list(map(int, bounds)) if one["integer"] else bounds
        parameters.append(Parameter(one["name"], kinds[one["log"], one["integer"]], *bounds))
    error = suite == "lcbench-accuracy"
    places = np.array(EPOCHS) - 1

    def run(values):
        found = bench.curve(row, np.array([values], float))
        losses = 1.0 - found["val_balanced_accuracy"] if error else found["val_cross_entropy"]
        seconds = np.diff(found["seconds"][0, places], prepend=0.0)
        return Curve(tuple(map(float, losses[0, places])), tuple(map(float, seconds)))

    unit, ends = ends_at_random(bench, row, cache / f"lcbench-{id}.json")
    return Staged(id, suite, parameters, EPOCHS, lambda: run, unit, *ends[suite])


def ends_at_random(bench, row, path):
    """The unit and, of each suite, median and best loss of trials at random; kept in a file."""
    if path.exists():
        return json.loads(path.read_text())
    x = bench.sample(np.random.default_rng(0), DRAWS)
    unit = float(np.median(bench.curve(row, x[:PAID])["seconds"][:, -1]))
    place = bench.data_sets.index(row)
    found = bench.net(np.full((DRAWS, 1), place),
                      np.column_stack([np.full(DRAWS, bench.epochs), x]))
    names = [one["name"] for one in bench.net.meta["outputs"]]
    losses = {"lcbench": found[:, names.index("val_cross_entropy")],
              "lcbench-accuracy": 1.0 - found[:, names.index("val_balanced_accuracy")]}
    ends = {suite: [float(np.median(v)), float(v.min())] for suite, v in losses.items()}
    path.parent.mkdir(parents=True, exist_ok=True)
    # Whole or not there, also if several processes write it.
    part = path.with_suffix(f".{id(path)}.part")
    part.write_text(json.dumps([unit, ends]))
    part.replace(path)
    return unit, ends


@functools.cache
def read(path):
    with gzip.open(path, "rt") as file:
        return list(csv.DictReader(file))


@functools.cache
def taskset(id, folder):
    found = read(pathlib.Path(folder, f"taskset_{id}.csv.gz"))
    apart = [key if not key.startswith("beta") else f"one_minus_{key}" for key in RANGES]
    parameters = [Parameter(name, "log_float", *bounds)
                  for name, bounds in zip(apart, RANGES.values())]
    points, curves = [], []
    for row in found:
        values = [1.0 - float(row[key]) if key.startswith("beta") else float(row[key])
                  for key in RANGES]
        points.append(values)
        losses = [float(row[f"valid_{point:02}"] or "inf") for point in POINTS]
        losses = tuple(min(loss, EXPLODED) for loss in losses)
        curves.append(Curve(losses, tuple(map(float, np.diff(POINTS, prepend=0)))))
    rows = Rows(parameters, points, curves)
    return Staged(id, "taskset", parameters, POINTS, rows.opened, *scale(curves))


@functools.cache
def clip(id, folder):
    trainings = {}
    for row in read(pathlib.Path(folder, "clip_runs.csv.gz")):
        trainings.setdefault(row["config_id"], []).append(row)
    points = [[float(rows[0][p.name]) for p in CLIPPED] for rows in trainings.values()]
    curves = [on_rungs(rows) for rows in trainings.values()]
    rows = Rows(CLIPPED, points, curves)
    unit, *ends = scale(curves)
    return Staged(id, "clip", list(CLIPPED), PERCENT, rows.opened, unit, *ends, 1e-4 * unit)


def on_rungs(rows):
    """The curve of a CLIP training. A rung that the epoch before it has reached is free."""
    epochs, losses, seconds, before = int(rows[0]["total_epochs"]), [], [], 0.0
    for percent in PERCENT:
        last = -(-percent * epochs // 100)
        seen = rows[:last]
        broken = len(seen) < last or any(
            row["diverged"] == "1" or not row["val_loss"] for row in seen)
        losses.append(None if broken else float(seen[-1]["val_loss"]))
        now = float(seen[-1]["seconds"])
        if broken:
            # It is left as soon as it breaks.
            now = next((float(row["seconds"]) for row in seen
                        if row["diverged"] == "1" or not row["val_loss"]), now)
        seconds.append(max(now - before, 0.0))
        before = max(now, before)
    return Curve(tuple(losses), tuple(seconds))
