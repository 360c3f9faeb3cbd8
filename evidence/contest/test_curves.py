"""Tests of studies in instalments. Those of recorded curves want their folder in `CONTEST_DATA`."""

import argparse
import contextlib
import importlib.util
import io
import math
import os
import pathlib
import tempfile
import unittest

import numpy as np

import curve_report
import curves
import halving
import recorded
import staged
import store
import trained
from space import Parameter, numbers
from staged import Account, Curve, Rows, Spent, Staged

DATA = pathlib.Path(os.environ.get("CONTEST_DATA", "nowhere"))
X = Parameter("x", "float", 0.0, 1.0)


def problem(run, rungs=(1, 3, 9), **more):
    """A problem with one parameter, whose unit is 9 seconds."""
    return Staged("tiny", "live", [X], rungs, lambda: run, 9.0, 0.5, 0.0, **more)


def falling(values):
    """Three times, twice and once the value. The instalments cost 1, 2 and 6."""
    return Curve((3 * values[0], 2 * values[0], values[0]), (1.0, 2.0, 6.0))


def in_order(losses, seconds=(1.0, 2.0, 6.0)):
    """Trials with these losses, whatever is proposed; then the money is spent."""
    left = iter(losses)

    def run(_):
        found = next(left, None)
        if found is None:
            raise Spent
        return Curve(tuple(found), seconds)

    return run


class Accounts(unittest.TestCase):
    def test_each_instalment_is_paid_once(self):
        account = Account(problem(falling), 2)
        trial = account.start([0.5])
        self.assertEqual((account.pay(trial, 1), account.spent), (1.5, 1.0))
        self.assertEqual((account.pay(trial, 3), account.spent), (0.5, 9.0))
        self.assertEqual(account.hand, [[1.0, 0.5]])
        self.assertEqual((account.pay(trial, 3), account.spent), (0.5, 9.0))

    def test_an_instalment_beyond_the_money_is_not_finished_and_takes_what_is_left(self):
        account = Account(problem(falling), 1.5)
        account.pay(account.start([0.5]), 3)
        second = account.start([0.1])
        with self.assertRaises(Spent):
            account.pay(second, 3)
        self.assertEqual((account.spent, account.finished), (13.5, 1))
        self.assertEqual(account.hand, [[1.0, 0.5]])

    def test_money_that_is_just_enough_finishes_a_trial(self):
        account = Account(problem(lambda _: Curve((1.0, 1.0, 1.0), (0.1, 0.2, 0.6))), 0.1)
        account.pay(account.start([0.5]), 3)
        self.assertEqual(account.finished, 1)

    def test_what_breaks_has_cost_its_instalment_and_is_not_in_hand(self):
        account = Account(problem(in_order([(1.0, None, None)])), 2)
        trial = account.start([0.5])
        self.assertIsNone(account.pay(trial, 3))
        self.assertEqual((account.spent, account.failed, account.hand), (3.0, 1, []))

    def test_only_what_is_better_comes_into_hand(self):
        account = Account(problem(falling), 4)
        for value in (0.5, 0.7, 0.2):
            account.pay(account.start([value]), 3)
        self.assertEqual(account.hand, [[1.0, 0.5], [3.0, 0.2]])

    def test_values_outside_of_the_space_are_refused(self):
        with self.assertRaises(ValueError):
            Account(problem(falling)).start([1.5])

    def test_the_scale_counts_what_broke_as_the_worst_and_as_paid_until_it_broke(self):
        losses = [(1.0, 4.0), (None, None), (1.0, 2.0)]
        found = staged.scale([Curve(one, (10.0, 20.0)) for one in losses])
        self.assertEqual(found, (30.0, 4.0, 2.0))


class Tables(unittest.TestCase):
    def test_nobody_gets_a_row_twice_and_each_study_has_all(self):
        axes = [Parameter("rate", "log_float", 1e-4, 1.0), numbers("width", 8, 64)]
        points = [(1e-4, 8), (1e-2, 8), (1.0, 64)]
        rows = Rows(axes, points, ["a", "b", "c"])
        for _ in range(2):
            run = rows.opened()
            # In the logarithm 2e-3 is nearer to 1e-2.
            self.assertEqual([run([2e-3, 8]) for _ in range(3)], ["b", "a", "c"])
            with self.assertRaises(Spent):
                run([2e-3, 8])

    def test_a_rung_of_clip_is_the_first_epoch_that_reaches_it(self):
        def row(epoch, loss, diverged="0"):
            return {"total_epochs": "4", "seconds": str(100.0 * epoch), "val_loss": loss,
                    "diverged": diverged}

        whole = recorded.on_rungs([row(k, str(5 - k)) for k in (1, 2, 3, 4)])
        self.assertEqual(whole.losses, (4.0, 4.0, 3.0, 3.0, 1.0))
        self.assertEqual(whole.seconds, (100.0, 0.0, 100.0, 0.0, 200.0))
        broken = recorded.on_rungs([row(1, "4"), row(2, "3"), row(3, "", "1")])
        self.assertEqual(broken.losses, (4.0, 4.0, 3.0, 3.0, None))
        self.assertEqual(broken.seconds, (100.0, 0.0, 100.0, 0.0, 100.0))

    def test_halves_have_all_problems_and_are_apart(self):
        for suite in curves.SUITES:
            halves = [curves.half(suite, id) for id in curves.SUITES[suite]]
            self.assertLessEqual(halves.count("tuned") - halves.count("reported"), 1, suite)
            self.assertLessEqual(halves.count("reported") - halves.count("tuned"), 1, suite)
        self.assertEqual(curves.half("lcbench", "Amazon_employee_access"), "tuned")
        self.assertEqual(curves.half("lcbench", "Fashion-MNIST"), "reported")


class Ranks(unittest.TestCase):
    def test_rungs_are_a_factor_of_three_apart(self):
        self.assertEqual(halving.thinned((3, 6, 11, 19, 32, 52)), [1, 2, 4, 6])
        self.assertEqual(halving.thinned((1, 3, 9)), [1, 2, 3])
        self.assertEqual(halving.thinned((5,)), [1])

    def test_asha_by_hand(self):
        paid = []

        class Noted(Account):
            def pay(self, trial, rung):
                paid.append((trial.number, rung))
                return super().pay(trial, rung)

        # The first three trials of nine have the best first losses; the second of them breaks.
        firsts = [0.3, 0.1, 0.2, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4]
        losses = [(one, one / 2, one / 3) for one in firsts]
        losses[1] = (0.1, None, None)
        account = Noted(problem(in_order(losses)), 100)
        with self.assertRaises(Spent):
            halving.asha(account, 0)
        self.assertEqual(paid, [
            (1, 1), (2, 1), (3, 1), (2, 2),
            (4, 1), (5, 1), (6, 1), (3, 2),
            (7, 1), (8, 1), (9, 1), (1, 2), (3, 3),
        ])
        # Nine first instalments, three second ones, and one third.
        self.assertEqual(account.spent, 9 * 1 + 3 * 2 + 6)
        self.assertEqual(account.hand, [[21 / 9, 0.2 / 3]])

    def test_hyperband_begins_with_the_bracket_of_most_trials(self):
        account = Account(problem(falling), 100)
        paid, pay = [], account.pay
        account.pay = lambda trial, rung: paid.append((trial.number, rung)) or pay(trial, rung)
        with self.assertRaises(Spent):
            halving.hyperband(account, 0)
        # Brackets of 9, 5 and 3 trials, which begin at the first, second and third rung.
        rungs = [rung for _, rung in paid[:9 + 3 + 1 + 5 + 1 + 3]]
        self.assertEqual(rungs, [1] * 9 + [2] * 3 + [3] + [2] * 5 + [3] + [3] * 3)

    def test_a_seed_fixes_a_study(self):
        for play in (halving.random, halving.asha, halving.hyperband):
            hands = []
            for seed in (3, 3, 4):
                account = Account(problem(falling))
                with self.assertRaises(Spent):
                    play(account, seed)
                hands.append(account.hand)
            self.assertEqual(hands[0], hands[1])
            self.assertNotEqual(hands[0], hands[2])


@unittest.skipUnless(importlib.util.find_spec("optuna"), "needs optuna")
class Pruners(unittest.TestCase):
    def test_what_is_pruned_is_not_paid_any_further(self):
        import pruners

        rungs = (1, 2, 3, 5, 7, 9)
        one = problem(lambda values: Curve(tuple(values[0] + 1 / k for k in rungs),
                                           (1.0, 1.0, 1.0, 2.0, 2.0, 2.0)), rungs)
        for label in pruners.LABELS:
            needed = {"gp": "torch", "gittins": "gittins"}
            if any(part in needed and not importlib.util.find_spec(needed[part])
                   for part in label.split("-")):
                continue
            # The Gaussian process takes seconds.
            account = Account(one, 5 if label.startswith("gp") else 60)
            played = pruners.Pruned(label, account, 1, "tiny 1")
            with self.assertRaises(Spent):
                played.play()
            *told, last = played.study.trials
            # A step costs a second, and the last trial took what was left.
            spent = sum(trial.last_step for trial in told) + (last.last_step or 0)
            self.assertFalse(last.state.is_finished(), label)
            self.assertLessEqual(spent, account.money, label)
            self.assertGreater(spent, account.money - 3, label)
            self.assertEqual(account.finished,
                             sum(trial.state.name == "COMPLETE" for trial in told), label)
            if not label.startswith("gp"):
                pruned = any(trial.state.name == "PRUNED" for trial in told)
                self.assertEqual(pruned, not label.endswith("none"), label)


def record(hand, **more):
    return {"problem": "a", "median": 1.0, "best": 0.0, "hand": hand, "started": 3,
            "finished": 2, "seconds": 0.1} | more


class Reports(unittest.TestCase):
    def test_a_regret_is_between_the_best_known_and_the_median(self):
        one = record([[2.0, 5.0], [4.0, 0.6], [19.0, 0.2]])
        curve = curve_report.regrets(one, 0.2)
        found = [curve_report.at(curve, units) for units in (0, 2, 4, 8, 20)]
        np.testing.assert_allclose(found, [1.0, 1.0, 0.5, 0.5, 0.0], atol=1e-12)

    def test_the_best_known_is_everybodys(self):
        labels = {"one": {("a", 1): record([[3.0, 0.4]], best=0.3)},
                  "other": {("a", 2): record([[3.0, 0.1]], best=0.3)}}
        self.assertEqual(curve_report.bests(labels), {"a": 0.1})

    def test_a_factor_is_the_rivals_money_over_ours(self):
        ours = {("a", k): curve_report.regrets(record([[2.0, 0.4]]), 0.0) for k in (1, 2)}
        theirs = {("a", k): curve_report.regrets(record([[8.0, 0.5]]), 0.0) for k in (1, 2)}
        text = curve_report.factors({"us": ours, "them": theirs}, "us")
        # Nothing is finished at 4; at 8 they are where we were before 2.
        cells = [cell.strip() for cell in text.splitlines()[2].split("|")]
        self.assertEqual(cells[3:7], ["-", "4.00 [4.00, 4.00]", "5.00 [5.00, 5.00]",
                                      "10.00 [10.00, 10.00]"])
        self.assertEqual(cells[8], "2:0 p 0.5")
        text = curve_report.factors({"us": theirs, "them": ours}, "us")
        self.assertIn("< 0.20", text)

    def test_a_stop_is_judged_by_running_on(self):
        early = record([[2.0, 0.4], [10.0, 0.1]], stop=[4.0, "enough"], price=0.02)
        late = record([[2.0, 0.4], [10.0, 0.3]], stop=[4.0, "enough"], price=0.02)
        lines = curve_report.stops([early, late], {"a": 0.0}).splitlines()
        cells = [cell.strip() for cell in lines[2].split("|")[1:-1]]
        # Both stop at 0.4 + 4 x 0.02. Their best moments are 0.1 + 0.2 and 0.4 + 0.04.
        self.assertEqual(cells, ["0.02", "2 of 2", "4.0", "0.480", "0.370", "0.110", "2 of 2"])
        dear = record([[2.0, 0.4], [10.0, 0.01]], stop=[4.0, "enough"], price=0.02)
        self.assertTrue(curve_report.stops([dear], {"a": 0.0}).endswith(" 0 of 1 |"))
        # A dearer unit makes the same stop right.
        self.assertTrue(curve_report.stops([dear], {"a": 0.0}, 0.03).endswith(" 1 of 1 |"))
        self.assertEqual(curve_report.stops([record([])], {"a": 0.0}, 0.03), "")


@unittest.skipUnless((DATA / "lcbench.bin").exists(), "needs lcbench.bin in CONTEST_DATA")
class Surrogates(unittest.TestCase):
    def test_seconds_add_up_and_both_suites_are_of_the_same_trials(self):
        with tempfile.TemporaryDirectory() as folder:
            cache = pathlib.Path(folder)
            pair = [recorded.problem(suite, "car", DATA, cache)
                    for suite in ("lcbench", "lcbench-accuracy")]
        values = pair[0].draw(np.random.default_rng(1))
        one, other = (found.opened()(values) for found in pair)
        self.assertEqual(one.seconds, other.seconds)
        found = recorded.surrogate(DATA).curve("189905", np.array([values], float))
        self.assertTrue(math.isclose(sum(one.seconds), found["seconds"][0, -1], rel_tol=1e-9))
        self.assertEqual(one.losses[-1], found["val_cross_entropy"][0, -1])
        self.assertAlmostEqual(other.losses[0], 1 - found["val_balanced_accuracy"][0, 2])
        self.assertEqual(pair[0].unit, pair[1].unit)
        self.assertLess(pair[0].best, pair[0].median)


    def test_a_study_is_kept_and_shown_and_comes_out_the_same_again(self):
        with tempfile.TemporaryDirectory() as folder:
            runs = pathlib.Path(folder)
            args = argparse.Namespace(
                suites=["lcbench"], engines=["asha"], seeds=[3], problems=["car"], half="all",
                label=None, data=DATA, runs=runs, limit=60, price=None, budget=False,
                settings={},
                engine_binary=pathlib.Path("serve"), us="asha", against=None, by_problem=True)
            (spec,) = curves.todo(args)
            record = curves.play(spec)
            self.assertEqual(curves.play(spec)["hand"], record["hand"])
            self.assertEqual(record["spent"], 20.0)
            store.append(runs / "lcbench" / "asha.jsonl", record)
            other = curves.play(spec | {"engine": "random"})
            store.append(runs / "lcbench" / "random.jsonl", other)
            self.assertEqual(list(curves.todo(args)), [])
            said = io.StringIO()
            with contextlib.redirect_stdout(said):
                curve_report.table(args, curves.half)
        for text in ("## lcbench, all: 1 problems, 1 studies", "asha against", "| random", "| car"):
            self.assertIn(text, said.getvalue())


@unittest.skipUnless((DATA / "clip_runs.csv.gz").exists(), "needs clip_runs.csv.gz in CONTEST_DATA")
class Trainings(unittest.TestCase):
    def test_each_row_is_in_the_space_and_ends_as_its_file_says(self):
        for suite, ids, count in (("clip", recorded.CLIP, 1500),
                                  ("taskset", recorded.TASKSET[:1], 1000)):
            one = recorded.problem(suite, ids[0], DATA, None)
            account = Account(one, 1e9)
            rng = np.random.default_rng(2)
            for _ in range(count):
                account.pay(account.start(one.draw(rng)), len(one.rungs))
            with self.assertRaises(Spent):
                account.start(one.draw(rng))
            self.assertAlmostEqual(account.hand[-1][1], one.best)
            self.assertEqual(account.failed, 134 if suite == "clip" else 0)


@unittest.skipUnless(importlib.util.find_spec("sklearn"), "needs scikit-learn")
class Live(unittest.TestCase):
    def test_models_learn_and_a_setting_is_measured_once(self):
        rng = np.random.default_rng(1)
        for id in ("boosting-diabetes", "network-diabetes", "descent-cancer"):
            kind = trained.PROBLEMS[id]
            with self.subTest(id=id), tempfile.TemporaryDirectory() as folder:
                kept = trained.Kept(kind, pathlib.Path(folder, "curves.jsonl"))
                values = [p.value(0.5) for p in kind.parameters]
                curve = kept.run(values)
                self.assertEqual(len(curve.losses), len(trained.RUNGS))
                self.assertLess(min(curve.losses[1:]), curve.losses[0])
                self.assertTrue(all(seconds > 0 for seconds in curve.seconds))
                other = trained.Kept(kind, kept.path).run(values)
                self.assertEqual(other, curve)
                another = kept.run([p.value(float(rng.random())) for p in kind.parameters])
                self.assertNotEqual(another, curve)

    def test_a_training_that_breaks_has_no_loss_from_there_on(self):
        def breaking(values, classes):
            return lambda x, y, steps: (_ for _ in ()).throw(ValueError("overflow"))

        kind = trained.Kind(breaking, "wine", 178, trained.NETWORK)
        found = trained.train(kind, [1.0, 0.1, 8, 8])
        self.assertEqual(found.losses, (None,) * len(trained.RUNGS))


class Listing(unittest.TestCase):
    def test_what_lacks_its_data_is_skipped(self):
        args = argparse.Namespace(data=pathlib.Path("nowhere"), problems=[], half="all")
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for suite in ("lcbench", "taskset", "clip"):
                self.assertEqual(list(curves.chosen(suite, args)), [])
        self.assertIn("clip clip: no clip_runs.csv.gz in nowhere, skipped", said.getvalue())


if __name__ == "__main__":
    unittest.main()
