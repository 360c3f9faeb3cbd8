"""Known values of the suite `mixed`, and its spaces: `python -m unittest discover evidence/contest`.

What a score of pest control is made of are whole hundredths and prices with four decimals, so that
the published values hold to rounding.
"""

import itertools
import json
import math
import unittest

import numpy as np

import mixed
import space
from space import Parameter, choice, flag, numbers

# Runs of equal signs of a sequence of 50 that reaches the proven optimum.
RUNS = (2, 4, 1, 1, 4, 1, 1, 4, 2, 2, 1, 1, 4, 2, 2, 1, 1, 3, 1, 3, 1, 5, 1, 2)


def signs(runs):
    return np.repeat((-1) ** np.arange(len(runs)), runs)


def drawn(problem, rng):
    units = rng.random(len(problem.parameters))
    return space.fill(problem.parameters, lambda k, p: p.value(units[k]))


class Published(unittest.TestCase):
    def test_the_energy_is_that_of_the_definition(self):
        s = signs(RUNS).tolist()
        energy = sum(sum(a * b for a, b in zip(s, s[k:])) ** 2 for k in range(1, 50))
        self.assertEqual(energy, 153)
        self.assertAlmostEqual(mixed.merit(signs(RUNS)), 8.170, delta=5e-4)
        # Barker's sequence of 13.
        self.assertAlmostEqual(mixed.merit(signs((5, 2, 2, 1, 1, 1, 1))), 169 / 12, delta=1e-12)

    def test_a_mask_moves_the_optimum_of_the_binary_sequence(self):
        for seed in range(3):
            problem, best = mixed.problem("labs-50", seed), signs(RUNS) > 0
            # The mask is the first that the instance draws.
            mask = instance("labs-50", seed).random(50) < 0.5
            y = problem.evaluate((best ^ mask).tolist())[0]
            self.assertAlmostEqual(y, problem.optimum, delta=1e-12)
            self.assertGreater(problem.evaluate(best.tolist())[0], problem.optimum + 1)

    def test_ackley_is_zero_at_its_moved_optimum(self):
        for seed in range(3):
            problem, rng = mixed.problem("ackley-53", seed), instance("ackley-53", seed)
            mask, place = rng.random(50) < 0.5, rng.uniform(-1, 1, 3)
            at = mask.tolist() + place.tolist()
            # 20 and e are taken off again: what is left is rounding.
            self.assertAlmostEqual(problem.evaluate(at)[0], 0, delta=1e-13)
            at[0] = not at[0]
            wanted = 20 - 20 * math.exp(-0.2 * math.sqrt(1 / 53))
            self.assertAlmostEqual(problem.evaluate(at)[0], wanted, delta=1e-13)

    def test_pest_control_scores_as_published(self):
        constant = {0: 21.95, 1: 20.02, 2: 14.03, 3: 12.28, 4: 12.52}
        for action, score in constant.items():
            self.assertAlmostEqual(mixed.infested([action] * 25), score, delta=1e-9)
        self.assertAlmostEqual(mixed.infested([3] * 24 + [0]), 11.9916, delta=1e-9)

    def test_names_of_actions_are_permuted_at_each_stage(self):
        problem, rng = mixed.problem("pest-25", 7), instance("pest-25", 7)
        wanted = [3] * 24 + [0]
        names = ["abcde"[rng.permutation(5).tolist().index(action)] for action in wanted]
        self.assertGreater(len(set(names)), 1)
        self.assertAlmostEqual(problem.evaluate(names)[0], 11.9916, delta=1e-9)


def instance(id, seed):
    return np.random.default_rng([mixed.zlib.crc32(id.encode()), seed])


class Spaces(unittest.TestCase):
    def test_draws_are_in_the_space_and_all_kinds_are_seen(self):
        rng = np.random.default_rng(0)
        for id in mixed.PROBLEMS:
            problem, seen = mixed.problem(id, 0), {}
            for _ in range(200):
                values = drawn(problem, rng)
                self.assertEqual(space.checked(problem.parameters, values), values)
                for p, v in zip(problem.parameters, values):
                    seen.setdefault(p.name, set()).add(v)
                    if v is not None:
                        self.assertTrue(0 <= p.unit(v) <= 1)
            for p in problem.parameters:
                # The rarest option is drawn once in fifteen: 200 draws miss it once in a million.
                options = set(p.values()) if p.options or p.kind == "flag" else set()
                self.assertTrue(options <= seen[p.name], p.name)
                self.assertEqual(None in seen[p.name], bool(p.when), p.name)

    def test_what_is_outside_of_a_space_is_refused(self):
        parameters = mixed.NETWORK
        right = [2, 8, 16, None, "relu", "adam", None, 0.1, 0.1, 32]
        self.assertEqual(space.checked(parameters, right), right)
        wrong = {0: 4, 1: 9, 2: None, 3: 8, 4: "linear", 6: 0.5, 7: 2.0}
        for place, value in wrong.items():
            values = [*right[:place], value, *right[place + 1:]]
            with self.assertRaisesRegex(ValueError, parameters[place].name):
                space.checked(parameters, values)
        with self.assertRaisesRegex(ValueError, "scale"):
            space.checked([flag("scale")], [1])

    def test_numbers_have_the_type_of_the_parameter(self):
        asked = [2.0, 8.0, 16.0, None, "relu", "adam", None, 0.1, 1, 32]
        found = space.checked(mixed.NETWORK, asked)
        self.assertEqual([type(v) for v in found[:3]], [int] * 3)
        with self.assertRaisesRegex(ValueError, "depth"):
            space.checked([Parameter("depth", "int", 1, 9)], [2.5])

    def test_absence_is_inherited(self):
        by = {p.name: p for p in mixed.CLASSIFIERS}
        given = dict.fromkeys(by) | {"scale": True, "model": "forest"}
        self.assertFalse(by["gamma"].present(given))
        self.assertTrue(by["gamma"].present(given | {"model": "svm", "kernel": "rbf"}))
        self.assertFalse(by["gamma"].present(given | {"model": "svm", "kernel": "linear"}))
        self.assertFalse(by["degree"].present(given | {"model": "svm", "kernel": "rbf"}))

    def test_values_and_places_are_inverse(self):
        axes = [Parameter("n", "log_int", 1, 512), Parameter("t", "steps", 0.0, 1.0, step=0.1),
                Parameter("size", "ordinal", options=("s", "m", "l")), flag("scale"),
                numbers("units", 8, 16, 32)]
        for p in axes:
            values = range(1, 513) if p.kind == "log_int" else p.values()
            self.assertEqual([p.value(p.unit(v)) for v in values], list(values))
        self.assertEqual(len(axes[1].values()), 11)

    def test_descriptions_are_what_serve_wants(self):
        axes = [
            choice("solver", "sgd", "adam"),
            Parameter("momentum", "float", 0, 0.99, when=(("solver", "is", ["sgd"]),)),
            numbers("units_2", 16, 32, when=(("layers", "at_least", 2),)),
            Parameter("size", "ordinal", options=("s", "m", "l")), flag("scale"),
            Parameter("n", "log_int", 1, 512), Parameter("t", "steps", 0, 1, step=0.1),
        ]
        wanted = """[
            {"name":"solver","kind":{"choice":{"names":["sgd","adam"]}}},
            {"name":"momentum","kind":{"float":{"low":0,"high":0.99}},
             "when":[{"parameter":"solver","is":["sgd"]}]},
            {"name":"units_2","kind":{"numbers":{"values":[16,32]}},
             "when":[{"parameter":"layers","at_least":2}]},
            {"name":"size","kind":{"ordinal":{"names":["s","m","l"]}}},
            {"name":"scale","kind":"flag"},
            {"name":"n","kind":{"log_int":{"low":1,"high":512}}},
            {"name":"t","kind":{"steps":{"low":0,"high":1,"step":0.1}}}]"""
        self.assertEqual([p.description() for p in axes], json.loads(wanted))


class Instances(unittest.TestCase):
    def test_a_seed_is_one_instance_and_another_seed_another(self):
        rng = np.random.default_rng(1)
        for id in mixed.PROBLEMS:
            one, same, other = (mixed.problem(id, seed) for seed in (0, 0, 1))
            values = [drawn(one, rng) for _ in range(3)]
            y = [[p.evaluate(v)[0] for v in values] for p in (one, same, other)]
            self.assertEqual(y[0], y[1], id)
            self.assertNotEqual(y[0], y[2], id)

    def test_each_model_can_be_fit_and_its_settings_count(self):
        problem = mixed.problem("svm-cond", 0)
        base = {"c": 1.0, "gamma": 0.01, "degree": 2, "rate": 0.3, "boosting_depth": 2,
                "boosting_leaf": 1, "subsample": 1.0, "forest_depth": 5, "forest_leaf": 1,
                "features": 0.3}
        kinds = [("svm", "linear"), ("svm", "rbf"), ("svm", "poly"), ("boosting", None),
                 ("forest", None)]

        def loss(given):
            return problem.evaluate(space.fill(problem.parameters, lambda _, p: given[p.name]))[0]

        losses = []
        for (model, kernel), scale in itertools.product(kinds, (False, True)):
            given = base | {"model": model, "kernel": kernel, "scale": scale}
            losses.append(loss(given))
            # To guess by the classes' shares has less than log 2.
            if scale:
                self.assertLess(losses[-1], math.log(2))
        self.assertGreaterEqual(len(set(losses)), 8)
        given |= {"features": 1.0}
        self.assertNotEqual(loss(given), losses[-1])

    def test_a_network_learns_with_good_settings_only(self):
        problem = mixed.problem("net-digits", 0)
        good = problem.evaluate([1, 64, None, None, "relu", "adam", None, 0.01, 1e-4, 32])[0]
        slow = problem.evaluate([1, 64, None, None, "relu", "sgd", 0.0, 1e-4, 1e-4, 128])[0]
        self.assertLess(good, 0.5)
        # Hardly trained: no better than a guess of ten classes, log 10 = 2.3, by much.
        self.assertGreater(slow, 2.0)


if __name__ == "__main__":
    unittest.main()
