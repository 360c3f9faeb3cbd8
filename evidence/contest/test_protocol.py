"""What `compare` says of runs whose shares are known, and what it refuses to say."""

import contextlib
import io
import json
import math
import pathlib
import tempfile
import types
import unittest

import comparison
import numpy as np
import protocol
import store


def instance(a, b, random=(), best=0.0):
    return protocol.Instance(np.array(a, float), np.array(b, float), np.array(random, float), best)


def record(suite, label, id, seed, value, **more):
    return {"suite": suite, "problem": id, "engine": label, "label": label, "seed": seed,
            "evaluations": 50, "best": [[50, value]], **more}


class Shares(unittest.TestCase):
    def test_all_pairs_of_runs_count_and_ties_half(self):
        # 1 beats both, 2 ties with the first and beats the second, 3 loses and ties.
        pairs = instance([1, 2, 3], [2, 3]).pairs()
        np.testing.assert_array_equal(pairs, [[1, 1], [0.5, 1], [0, 0.5]])
        self.assertAlmostEqual(pairs.mean(), 4 / 6)

    def test_families_are_weighed_alike_and_problems_within_them(self):
        won, lost = instance([1], [2]), instance([2], [1])
        # One family has one problem, lost; the other has three, of which one is won on one of its
        # two instances and the others are won: (0.5 + 1 + 1) / 3.
        families = {"x": {"p": [lost]}, "y": {"q": [won, lost], "r": [won], "s": [won, won]}}
        self.assertAlmostEqual(protocol.share(families), (0 + 2.5 / 3) / 2)

    def test_below_the_median_of_random_is_worse_than_it(self):
        one = instance([1, 2, 3, 4], [9], random=[1, 2, 3])
        self.assertEqual(one.below("a"), 0.5)
        self.assertEqual(one.below("b"), 1.0)
        self.assertTrue(math.isnan(instance([1], [1]).below("a")))

    def test_a_ceiling_counts_the_ties_with_runs_at_the_best(self):
        # Who always has 0 beats two of four runs and ties with two.
        one = instance([0, 0], [0, 1, 0, 2])
        self.assertEqual(one.ceiling(), 0.75)
        self.assertEqual(one.ceiling(), one.pairs().mean())
        # The best of somebody else counts: these runs of `b` are not at it.
        self.assertEqual(instance([1], [1], best=0.0).ceiling(), 1.0)

    def test_an_interval_has_no_width_where_nothing_differs(self):
        families = {"x": {"p": [instance([1, 1, 1], [2, 2])], "q": [instance([1], [2])]}}
        self.assertEqual(protocol.interval(families, 50), (1.0, 1.0))

    def test_an_interval_is_as_wide_as_problems_and_runs_make_it(self):
        # 16 problems, each won or lost whole: the share has a deviation of 0.5 / 4, and 95 % are
        # within 1.96 of it. The ends of 2000 draws of sixteenths are exact to one or two of them.
        found = {f"p{k}": [instance([k % 2], [0.5])] for k in range(16)}
        low, high = protocol.interval({"x": found}, 2000)
        self.assertAlmostEqual(low, 0.5 - 1.96 / 8, delta=0.07)
        self.assertAlmostEqual(high, 0.5 + 1.96 / 8, delta=0.07)
        # One problem, of which only the runs are drawn: the deviation is 0.5 / 4 again.
        runs = instance([k % 2 for k in range(16)], [0.5])
        low, high = protocol.interval({"x": {"p": [runs]}}, 2000)
        self.assertAlmostEqual(high - low, 2 * 1.96 / 8, delta=0.13)

    def test_a_problem_is_its_instances_and_other_seeds_are_runs(self):
        self.assertEqual(protocol.place("bbob", "f08-d05-i07", 2)[0], "f08-d05")
        self.assertEqual(protocol.place("bbob", "f08-d05-i07", 2),
                         protocol.place("bbob", "f08-d05-i07", 3))
        self.assertNotEqual(protocol.place("everyday", "knn-wine", 7),
                            protocol.place("everyday", "knn-wine", 8))


class Retired(unittest.TestCase):
    def test_what_was_chosen_on_is_retired(self):
        for suite, id, seed in [
            ("everyday", "knn-wine", 1), ("everyday", "steps-f01-5", 6),
            ("everyday", "nearest-hpobench_car", 20), ("bbob", "f08-d05-i05", 1),
            ("noisy", "f08-d05-i01-n0.1", 1), ("high", "ackley-100", 101),
        ]:
            self.assertIsNotNone(protocol.retired(suite, id, seed), (suite, id, seed))
        for suite, id, seed in [
            ("everyday", "knn-wine", 7), ("bbob", "f08-d05-i06", 1), ("high", "ackley-100", 1),
            ("pbo", "f01", 1),
        ]:
            self.assertIsNone(protocol.retired(suite, id, seed), (suite, id, seed))
        self.assertTrue(protocol.had_part("everyday", "tree-wine"))
        self.assertFalse(protocol.had_part("everyday", "knn-wine"))


class Compare(unittest.TestCase):
    def said(self, folder, **given):
        args = types.SimpleNamespace(runs=folder, a="gittins", b="tpe", random="random",
                                     suite=["everyday"], after=1.0, retired=False, fewer=False,
                                     json=True)
        args.__dict__.update(given)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            protocol.compare(args)
        return out.getvalue(), err.getvalue()

    def made(self, folder, repeats=3):
        """Of `gittins` 1, 2, 3 against 2 of `tpe` on a new instance; on a retired one it wins."""
        for repeat in range(1, repeats + 1):
            end = f"-r{repeat}" if repeat > 1 else ""
            more = {"repeat": repeat} if repeat > 1 else {}
            for label, value in (("gittins", repeat), ("tpe", 2), ("random", 2.5)):
                path = folder / "everyday" / f"{label}{end}.jsonl"
                store.append(path, record("everyday", label, "knn-wine", 7, value, **more))
                old = 0 if label == "gittins" else 1
                store.append(path, record("everyday", label, "knn-wine", 3, old, **more))

    def test_it_says_shares_of_what_is_not_retired(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder := pathlib.Path(folder))
            out, err = self.said(folder)
            found = json.loads(out)
            self.assertEqual(found["seeds"], [3, 3])
            found = found["parts"]["all"]
            self.assertEqual((found["instances"], found["runs"]), (1, [3, 3]))
            self.assertEqual(found["share"], 0.5)
            self.assertAlmostEqual(found["below_random"][0], 1 / 3)
            self.assertEqual(found["ceiling"], 1.0)
            self.assertIn("left out as retired: 6 runs of everyday, instances 1 to 6", err)
            # With them, it says so.
            out, err = self.said(folder, retired=True, json=False)
            self.assertIn("WITH RETIRED INSTANCES", out)
            self.assertIn("0.750", out)
            self.assertIn("counted all the same", err)

    def test_it_refuses_fewer_than_three_engine_seeds(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder := pathlib.Path(folder), repeats=2)
            with self.assertRaisesRegex(SystemExit, "has 2 and tpe 2 engine seeds.*--repeats 1-3"):
                self.said(folder)
            self.assertIn("PROVISIONAL", self.said(folder, fewer=True, json=False)[0])

    def test_it_refuses_to_report_what_is_retired_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for label in ("gittins", "tpe"):
                store.append(folder / "everyday" / f"{label}.jsonl",
                             record("everyday", label, "knn-wine", 1, 1.0))
            with self.assertRaisesRegex(SystemExit, "nothing to report"):
                self.said(folder)

    def test_runs_of_other_lengths_are_not_held_against_each_other(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder := pathlib.Path(folder))
            path = folder / "everyday" / "gittins.jsonl"
            short = record("everyday", "gittins", "knn-wine", 7, 0.0) | {"evaluations": 20}
            store.append(path, short)
            found = json.loads(self.said(folder, fewer=True)[0])["parts"]["all"]
            self.assertEqual(found["runs"], [2, 3])

    def test_other_seeds_of_an_engine_are_no_runs_of_the_pages(self):
        with tempfile.TemporaryDirectory() as folder:
            self.made(folder := pathlib.Path(folder))
            runs, _ = comparison.load(folder)
            values = [r["best"][-1][1] for r in runs["everyday"]["gittins"].values()]
            self.assertEqual(sorted(values), [0, 1])


if __name__ == "__main__":
    unittest.main()
