"""Tables of measured settings, and the surrogate of XGBoost, as they are on disk.

The folder has `tables.json`, which describes the tables, and a CSV file of each.
"""

import csv
import functools
import gzip
import importlib.util
import json
import math
import pathlib
import statistics

from space import Parameter, choice

#: Tables that are full grids.
GRIDS = ("hpobench_car", "hpobench_kc1", "hpolib_parkinsons_telemonitoring",
         "hpobench_australian", "hpobench_segment", "hpolib_naval_propulsion",
         "nasbench201_cifar10")


@functools.cache
def described(folder, id):
    """What is said of a table, its parameters, and its rows as they are written."""
    about = json.loads(pathlib.Path(folder, "tables.json").read_text())[id]
    with gzip.open(pathlib.Path(folder, f"{id}.csv.gz"), "rt") as file:
        rows = list(csv.DictReader(file))
    parameters = []
    for parameter in about["parameters"]:
        name = parameter["name"]
        values = {row[name] for row in rows}
        if parameter["kind"] == "categorical" or len(values) == 2:
            parameters.append(choice(name, *sorted(values)))
        else:
            levels = tuple(sorted(values, key=float))
            parameters.append(Parameter(name, "ordinal", options=levels))
    return about, parameters, rows


@functools.cache
def table(folder, id):
    """Its parameters, outcome and cost of each row by its values, the cost of a typical row."""
    about, parameters, rows = described(folder, id)
    better = -1.0 if about["objective"].startswith(("val_accuracy", "val_top")) else 1.0
    # Losses over decades are tuned by their logarithm.
    scale = math.log if id.startswith("hpolib") else float
    found = {
        tuple(row[p.name] for p in parameters):
            (better * scale(float(row[about["objective"]])), float(row[about["cost"]]))
        for row in rows
    }
    return parameters, found, statistics.median(cost for _, cost in found.values())


@functools.cache
def surrogate(folder):
    """The reader beside the surrogate's data, as it is."""
    path = pathlib.Path(folder, "rbv2_xgboost.py")
    spec = importlib.util.spec_from_file_location("rbv2_xgboost", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.Rbv2Xgboost()


def boosting(folder):
    """The parameters of the surrogate, and what has the value of a fidelity."""
    parameters, fixed = [], {}
    for about in surrogate(folder).parameters:
        name, condition = about["name"], about.get("only_if")
        when = ()
        if condition:
            when = ((condition["parameter"], "is", list(condition["is_one_of"])),)
        if "fidelity" in about:
            fixed[name] = about["fidelity"]
        elif "levels" in about:
            parameters.append(choice(name, *about["levels"], when=when))
        else:
            kind = ("log_" if about["log"] else "") + ("int" if about["integer"] else "float")
            low, high = about["lower"], about["upper"]
            if about["integer"]:
                low, high = int(low), int(high)
            parameters.append(Parameter(name, kind, low, high, when=when))
    return parameters, fixed


def boosted(folder, dataset, values):
    """The log loss and the seconds of values on a data set."""
    parameters, fixed = boosting(folder)
    given = {p.name: v for p, v in zip(parameters, values) if v is not None}
    found = surrogate(folder).evaluate(dataset, [given | fixed])
    return float(found["logloss"][0]), float(found["timetrain"][0])
