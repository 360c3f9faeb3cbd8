"""The dashboard of Optuna shows our file, and writes to it."""

import importlib.util
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

from peer import Refused, floats, load, opened, resumed

ODD = 'b "c" </script> 学習'
KINDS = {"x": floats(), "name": {"choice": {"names": ["a", ODD]}}, "flag": "flag"}


class Dashboard:
    def __init__(self, path):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        program = os.path.join(os.path.dirname(sys.executable), "optuna-dashboard")
        # It says every request: a pipe would be full some time.
        self.said = tempfile.TemporaryFile()
        self.process = subprocess.Popen(
            [
                program,
                "--host",
                "127.0.0.1",
                "--port",
                str(self.port),
                "--server",
                "wsgiref",
                "--storage-class",
                "JournalFileStorage",
                path,
            ],
            stdout=subprocess.DEVNULL,
            stderr=self.said,
        )

    def __call__(self, place, method="GET", **body):
        data = json.dumps(body).encode() if body else None
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{place}",
            data,
            method=method,
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=20) as answer:
            text = answer.read()
            return json.loads(text) if text and "json" in answer.headers["Content-Type"] else text

    def __enter__(self):
        for _ in range(300):
            try:
                self("/api/meta")
                return self
            except (urllib.error.URLError, ConnectionError):
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.said.seek(0)
        raise AssertionError(f"the dashboard does not answer: {self.said.read()}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.said.close()


def compare(shown, trials):
    """What the dashboard answers is what we have."""
    names = {"complete": "Complete", "failed": "Fail", "infeasible": "Fail", "pending": "Running"}
    assert [t["number"] for t in shown] == sorted(trials), (len(shown), len(trials))
    for theirs in shown:
        ours = trials[theirs["number"]]
        assert theirs["state"] == names[ours["state"]], (theirs, ours)
        if ours["state"] == "complete":
            assert theirs["values"] == [ours["outcome"]], (theirs, ours)
        found = {p["name"]: p["param_external_value"] for p in theirs["params"]}
        assert found == {k: str(v) for k, v in ours["values"].items() if v is not None}, (
            found,
            ours,
        )
        attributes = {a["key"]: a["value"] for a in theirs["user_attrs"]}
        assert ours["cost"] is None or float(attributes["cost"]) == ours["cost"], (attributes, ours)


def check_the_dashboard_shows_our_file_and_writes_to_it(folder):
    if importlib.util.find_spec("optuna_dashboard") is None:
        return "skipped: there is no optuna-dashboard"
    path = f"{folder}/a.log"
    with opened(path, KINDS, cost="learned", direction="maximize") as peer:
        peer({"work": {"trials": 20}})
        words = peer("verdict")["words"]
        with Dashboard(path) as dashboard:
            (study,) = dashboard("/api/studies")["study_summaries"]
            assert study["study_name"] == "a" and study["directions"] == ["maximize"], study
            place = f"/api/studies/{study['study_id']}"
            # While we write.
            peer.start({"work": {"trials": 200}})
            counts = []
            while not counts or counts[-1] < 220:
                counts.append(len(dashboard(place)["trials"]))
            peer.finish()
            assert counts == sorted(counts), counts
            detail = dashboard(place)
            trials, _ = peer.trials()
            compare(detail["trials"], trials)
            assert any(words in a["value"] for a in detail["user_attrs"]), detail["user_attrs"]
            for page in [f"/dashboard/studies/{study['study_id']}", f"/csv/{study['study_id']}"]:
                assert dashboard(page)
            # A person tells a trial, leaves notes, sets attributes and renames the study.
            first, second = peer("ask")["trial"], peer("ask")["trial"]
            dashboard(f"/api/trials/{first}/user-attrs", "POST", user_attrs={"cost": 2.5})
            dashboard(f"/api/trials/{first}/tell", "POST", state="Complete", values=[77.0])
            dashboard(f"/api/trials/{second}/tell", "POST", state="Fail")
            dashboard(f"{place}/note", "PUT", body='a "note"', version=1)
            dashboard(f"{place}/{first}/note", "PUT", body="of a trial", version=1)
            trials, left_out = peer.trials()
            assert left_out == {}, left_out
            assert trials[first]["outcome"] == 77.0 and trials[first]["cost"] == 2.5, trials[first]
            assert trials[second]["state"] == "failed"
            peer({"work": {"trials": 2}})
            before, _ = peer.trials()
            dashboard(f"{place}/rename", "POST", study_name="renamed")
            names = [s["study_name"] for s in dashboard("/api/studies")["study_summaries"]]
            assert names == ["renamed"], names
            try:
                peer("ask")
                raise AssertionError("the old study was asked")
            except Refused as error:
                assert "deleted" in str(error), error
        # The dashboard does not copy our settings: without them the space follows from the trials.
        for open_again in [
            lambda: resumed(path),
            lambda: opened(path, KINDS, name="renamed", cost="learned", direction="maximize"),
        ]:
            with open_again() as again:
                after, left_out = again.trials()
                assert left_out == {}, left_out
                for number, trial in before.items():
                    found = after[number]
                    for key in ["state", "values", "outcome", "cost"]:
                        # Without settings a trial costs 1, if it does not say what it costs.
                        assert found[key] == trial[key] or trial[key] is None, (trial, found)
        with opened(path, KINDS, cost="learned", direction="maximize") as again:
            again({"work": {"trials": 3}})
        assert len(load(path).trials) == len(before) + 3
    return f"{len(counts)} looks in the meantime"
