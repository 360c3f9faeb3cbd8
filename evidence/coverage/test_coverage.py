"""What is counted of errors that are known, and that problems are what they say."""

import math
import unittest

import functions
import items
import numpy as np
import tables
import whole


def problem(direction):
    return functions.Problem(None, direction, "smooth", None, None, None)


class Said(unittest.TestCase):
    def test_an_error_is_positive_if_too_good_was_expected(self):
        for direction, z in (("maximize", 2.0), ("minimize", -2.0)):
            said = whole.Said(problem(direction))
            said.outcome("suggested", 12, 5.0, 1.5, 2.0)
            self.assertEqual(said.rows, [["smooth", "suggested", 10, z]])

    def test_a_deviation_of_nothing_covers_what_came_exactly_alone(self):
        said = whole.Said(problem("maximize"))
        said.outcome("suggested", 5, 3.0, 0.0, 3.0)
        said.outcome("suggested", 5, 3.1, 0.0, 3.0)
        self.assertEqual([row[3] for row in said.rows], [0.0, 1e6])

    def test_the_deviation_of_a_cost_is_that_of_its_logarithm(self):
        # Median 2 and mean 2 exp(1/8) are those of a log-normal cost with a deviation of a half.
        class Forecast:
            expected, median = 2 * math.exp(0.125), 2.0

        said = whole.Said(problem("minimize"))
        said.cost(20, Forecast, 2 * math.e)
        self.assertEqual(said.rows, [["cost", "suggested", 20, -2.0]])


class Tables(unittest.TestCase):
    def test_shares_inside(self):
        of = tables.covered([0.5, -0.9, 1.5, -1.5, 2.5, 3.0, -4.0, 0.0, 1.0, 2.0])
        self.assertEqual((of["outcomes"], of["inside_1"], of["inside_2"]), (10, 0.4, 0.7))
        self.assertEqual(of["worse_2"], 0.2)

    def test_a_miss_is_bold_and_few_outcomes_say_nothing(self):
        self.assertEqual(tables.cell(tables.covered([0.0] * 84 + [3.0] * 16)), "**84, 84**")
        self.assertEqual(tables.cell(tables.covered([0.0] * 85 + [3.0] * 15)), "85, 85")
        self.assertEqual(tables.cell(tables.covered([0.0] * 19)), "-")

    def test_studies_by_items(self):
        rows = [["first round", 3.5, 0.1, 0.5], ["first round", 0.0, 0.1, 1.2],
                ["winner", 2.5, 0.1, 0.9]]
        found = tables.items_of([
            {"rows": rows, "regret": 0.02, "spent": 0.01},
            {"rows": [["winner", -5.0, 0.1, 0.9]], "regret": 0.0, "spent": 0.03},
        ])
        self.assertEqual((found["winner_over_2"], found["winner_off_3"]), (0.5, 0.5))
        self.assertEqual((found["first_off_3"], found["outside"]), (0.5, 0.5))
        self.assertAlmostEqual(found["sum"], 0.03)


class Problems(unittest.TestCase):
    def test_functions_have_their_known_optima(self):
        self.assertAlmostEqual(functions.branin([(math.pi + 5) / 15, 2.275 / 15]), 0.397887, 6)
        best = [0.20169, 0.150011, 0.476874, 0.275332, 0.311652, 0.6573]
        self.assertAlmostEqual(functions.hartmann(best), -3.32237, 4)
        self.assertAlmostEqual(functions.ackley([0.4] * 4), 0.0, 9)
        self.assertEqual(functions.rosenbrock([0.75] * 4), 0.0)

    def test_zeros_and_ones_fill_the_share_that_they_are_to(self):
        rng = np.random.default_rng(0)
        for made, share in ((functions.plain(0.2), 0.2), (functions.right(0.3), 0.3)):
            one = made("branin", 1)
            found = np.mean([one.value(one.drawn(rng)) > 0 for _ in range(2000)])
            # Four deviations of 2000 draws, and of the sample of 4000 that set the edge.
            self.assertAlmostEqual(found, share, delta=0.05)

    def test_items_have_accuracies_of_their_range_and_share_what_they_say(self):
        for kind, alike in (("alike", False), ("shared", True)):
            right = items.answers(f"{kind} 0.5-0.9", 3, "")
            self.assertTrue(200 <= right.shape[1] <= 400)
            self.assertTrue(0.35 < right.mean() < 0.95)
            correlation = np.corrcoef(right)[np.triu_indices(items.ARMS, 1)].mean()
            self.assertEqual(correlation > 0.2, alike)


if __name__ == "__main__":
    unittest.main()
