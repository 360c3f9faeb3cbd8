"""Tests of how forecasts inside studies are judged, against a small double of the program `serve`."""

import contextlib
import io
import pathlib
import tempfile
import unittest

import forecasts
import store
from staged import Curve
from test_curves import problem


class Double:
    """Forecasts 0.5 +- 0.1 of each trial but the first."""

    def say(self, line):
        if "forecast" in line:
            known = line["forecast"] > 0
            return {"forecast": {"mean": 0.5, "sd": 0.1} if known else None}
        return {"advice": "pause"}


class Forecasts(unittest.TestCase):
    def test_a_forecast_is_kept_beside_the_end_of_a_run_that_is_left(self):
        account = forecasts.Known(problem(lambda v: Curve((3.0, 2.0, v[0]), (1.0, 2.0, 6.0))))
        asking = forecasts.Asking(Double(), account.trials)
        for number, end in enumerate([0.2, 0.7]):
            account.pay(account.start([end]), 1)
            asking.say({"report": {"trial": number}})
        asking.say("verdict")
        self.assertEqual(asking.found, [[1, 0.5, 0.1, 0.7]])

    def test_shares_are_of_both_sides_and_errors_have_a_limit(self):
        ends = [0.5, 0.52, 0.35, 0.62, 0.64, 99.0]
        found = [[1, 0.5, 0.1, end] for end in ends]
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "runs.jsonl")
            for seed in (0, 1):
                store.append(path, {"problem": "a", "seed": seed, "forecasts": found})
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                forecasts.coverage("tiny", path, {("a", 1)})
        line = printed.getvalue().splitlines()[2]
        # Errors of 0, 0.2, -1.5, 1.2, 1.4 and 5 deviations.
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        self.assertEqual(cells, ["after report 1", "6", "50", "17", "33", "83", "+1.05", "2.26"])


if __name__ == "__main__":
    unittest.main()
