"""Tests of our client for instalments, against a small double of the program `serve`."""

import json
import pathlib
import sys
import tempfile
import unittest

import instalments
from staged import Account, Spent
from test_curves import falling, in_order, problem

#: A study that pauses its first trial, abandons the second and ends the first. It says to stop at
#: its third verdict, and writes down what it is told.
FAKE = """
import json, sys
asked = judged = 0
reports, paused = None, None
with open(sys.argv[1], "w") as log:
    for line in sys.stdin:
        print(line, end="", file=log, flush=True)
        said = json.loads(line)
        if reports is None:
            reports = said["stages"]["reports"] if "stages" in said else []
            answer = {"ready": True}
        elif said == "verdict":
            judged += 1
            answer = {"stop": judged == 3, "words": "enough"}
        elif said == "ask":
            answer = {"trial": asked, "values": [0.1 * (asked + 1)], "resume": None}
            answer["until"] = reports[0] if asked < 2 or asked > 2 else reports[-1]
            if asked == 2:
                answer |= {"trial": 0, "resume": paused, "values": [0.1]}
            asked += 1
        elif "report" in said:
            one = said["report"]
            if one["trial"] == 0:
                paused = one["progress"]
                answer = {"advice": "pause" if paused != reports[-1] else "done"}
            elif one["progress"] == reports[0]:
                answer = {"advice": "continue", "until": reports[1]}
            else:
                answer = {"advice": "abandon"}
        elif "tell" in said:
            answer = {"told": said["tell"]["trial"]}
        print(json.dumps(answer), flush=True)
"""


class Served(unittest.TestCase):
    def study(self, one, label, units, settings=None, fake=FAKE):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        log = pathlib.Path(folder.name, "log")
        account = Account(one, units)
        study = instalments.Study(account, 7, [sys.executable, "-c", fake, str(log)],
                                  settings or {}, instalments.stages(label, one))
        try:
            with self.assertRaises(Spent):
                instalments.play(label, study)
        finally:
            study.server.close()
        return account, study, [json.loads(line) for line in log.read_text().splitlines()]

    def test_a_study_in_instalments_is_played_as_it_says(self):
        # Stages may be free: a study of them has no floor of costs.
        account, study, lines = self.study(
            problem(falling, floor=0.1), "instalments", 15 / 9, {"initial": 4})
        self.assertEqual(lines[0], {
            "direction": "minimize", "seed": 7, "cost": "learned",
            "space": {"parameters": [{"name": "x", "kind": {"float": {"low": 0.0, "high": 1.0}}}]},
            "stages": {"total": 9, "reports": [1, 3, 9], "resumable": True}, "initial": 4,
        })
        reports = [line["report"] for line in lines[1:] if "report" in line]
        seen = [(one["trial"], one["progress"], round(one["outcome"], 9), one["cost"])
                for one in reports]
        # The third trial is paid to its second report, and the money ends there.
        self.assertEqual(seen[:4], [(0, 1, 0.3, 1.0), (1, 1, 0.6, 1.0), (1, 3, 0.4, 2.0),
                                    (0, 9, 0.1, 8.0)])
        self.assertEqual(account.hand, [[12 / 9, 0.1]])
        # The first stop was said when two trials had been paid, and the study went on.
        self.assertEqual(study.stop, [4 / 9, "enough"])
        self.assertEqual(lines.count("verdict"), 3)
        self.assertGreater(lines.count("ask"), 3)

    def test_what_breaks_is_told_with_what_it_cost_since_its_last_report(self):
        broken = in_order([(0.3, 0.2, 0.1), (0.5, None, None), (0.3, 0.2, 0.1)])
        _, _, lines = self.study(problem(broken), "pruner", 3)
        self.assertEqual(lines[0]["stages"]["resumable"], False)
        self.assertIn({"tell": {"trial": 1, "failed": True, "cost": 2.0}}, lines)

    def test_whole_trials_are_told_with_all_their_costs(self):
        whole = in_order([(0.3, 0.2, 0.1), (0.5, None, None)])
        fake = FAKE.replace('reports[0] if asked < 2 or asked > 2 else reports[-1]', "9")
        account, study, lines = self.study(problem(whole), "whole", 9, fake=fake)
        self.assertNotIn("stages", lines[0])
        self.assertEqual([line["tell"] for line in lines[1:] if "tell" in line], [
            {"trial": 0, "outcome": 0.1, "cost": 9.0}, {"trial": 1, "failed": True, "cost": 3.0},
        ])

    def test_a_checkpoint_that_is_not_there_is_refused(self):
        fake = FAKE.replace('"resume": paused', '"resume": 3')
        with self.assertRaisesRegex(RuntimeError, "resume from 3, but its checkpoint is at 1"):
            self.study(problem(falling), "instalments", 3, fake=fake)

    def test_an_until_that_is_no_report_is_refused(self):
        fake = FAKE.replace('"until": reports[1]', '"until": 4')
        with self.assertRaisesRegex(RuntimeError, "until 4 is no report"):
            self.study(problem(falling), "instalments", 3, fake=fake)


if __name__ == "__main__":
    unittest.main()
