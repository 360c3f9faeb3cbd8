"""Runs on disk: one JSON line each, whole or not there."""

import concurrent.futures
import json


def lines(path):
    """The records of a file; what a killed process left of a line is no record."""
    if not path.exists():
        return
    for line in path.read_text().splitlines():
        try:
            yield json.loads(line)
        except json.JSONDecodeError:
            pass


def runs(path):
    """The runs of a file by problem and seed; of two the later one."""
    return {(record["problem"], record["seed"]): record for record in lines(path)}


def fill(path, specs, play, jobs):
    """Plays what is missing in a file. A spec has its kind, its problem and its seed in front."""
    have = runs(path)
    wanted = [spec for spec in specs if (spec[1], spec[2]) not in have]
    with concurrent.futures.ProcessPoolExecutor(jobs) as pool:
        for count, record in enumerate(pool.map(play, wanted), 1):
            append(path, record)
            print(f"{path.stem} {count} / {len(wanted)}", flush=True)


def append(path, record):
    """Adds a record, after the end of a line that was broken off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        broken = False
        if file.tell():
            file.seek(-1, 2)
            broken = file.read(1) != b"\n"
        text = json.dumps(record, separators=(",", ":")) + "\n"
        file.write((b"\n" if broken else b"") + text.encode())
