"""The fleet of `examples/fleet`: two workers on a PostgreSQL, of which one is killed."""

from __future__ import annotations

import json
import pathlib
import subprocess
import sys

import pytest

FLEET = pathlib.Path(__file__).parent.parent.parent / "examples" / "fleet"


def test_a_fleet_loses_nothing_when_a_worker_is_killed():
    pytest.importorskip("psycopg2")
    pytest.importorskip("sklearn")
    command = [sys.executable, str(FLEET / "fleet.py"), "--json", "--workers=2", "--trials=14"]
    # So little is an hour worth that only the limit of trials ends the study.
    command += ["--kills=1", "--every=0.5", "--hour=1e-9", "--wait=0"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode == 2 and "error: PostgreSQL" in done.stderr:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["kills"] == 1
    assert said["workers"] == 3
    assert said["failed_workers"] == 0
    # The limit is checked after each trial: of two workers one may end another one meanwhile.
    assert 14 <= said["states"]["COMPLETE"] <= 15
    assert len(said["dead"]) <= 1
    assert said["duplicates"] == []
    assert said["lost"] == []
    assert 0.0 < said["share_storage"] < 1.0
