"""Tune a program that knows nothing of this library, by the command `gittins`.

Needs the command on the PATH, and Unix. It writes a program and its study.toml to a folder, runs
the study, and reads what came of it.
"""

# %% Is the command there?
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

if shutil.which("gittins") is None:
    sys.exit(
        "the command gittins is not on the PATH: `cargo install --path crates/cli` installs it"
    )

# %% A program that prints a number in its last line: sorting, with two settings that matter
PROGRAM = '''
import random, sys, time

leaf, ways = int(sys.argv[1]), int(sys.argv[2])


def merged(parts):
    """Merge lists by looking at the first number of each."""
    rows = [part[::-1] for part in parts if part]
    out = []
    while rows:
        row = min(rows, key=lambda row: row[-1])
        out.append(row.pop())
        rows = [row for row in rows if row]
    return out


def in_order(numbers):
    """Sort by insertion up to `leaf` numbers, and by merging `ways` parts above."""
    if len(numbers) <= leaf:
        for at in range(1, len(numbers)):
            number, place = numbers[at], at
            while place and numbers[place - 1] > number:
                numbers[place], place = numbers[place - 1], place - 1
            numbers[place] = number
        return numbers
    size = -(-len(numbers) // ways)
    return merged([in_order(numbers[at:at + size]) for at in range(0, len(numbers), size)])


numbers = random.Random(1).sample(range(10**6), 3000)
since = time.perf_counter()
assert in_order(numbers[:]) == sorted(numbers)
print(1000 * (time.perf_counter() - since))  # milliseconds
'''
STUDY = """
direction = "minimize"
price = 1.0        # a second of trying must bring a millisecond
seed = 1
initial = 6

[parameters.leaf]
type = "log_int"
low = 1
high = 512

[parameters.ways]
type = "int"
low = 2
high = 16
"""
folder = pathlib.Path(tempfile.mkdtemp())
(folder / "sort.py").write_text(PROGRAM)
(folder / "study.toml").write_text(STUDY)

# %% The study. The same command goes on with it after an end of any kind.
command = ["gittins", "run", "study.toml", "--", sys.executable, "sort.py", "{leaf}", "{ways}"]
subprocess.run(command, cwd=folder, check=True)

# %% What came of it
best = subprocess.run(
    ["gittins", "best", "study.toml", "--json"], cwd=folder, check=True, capture_output=True
)
found = json.loads(best.stdout)["recommendation"]
print(f"sort with {found['values']}: {found['outcome']:.1f} ms")

# %% A page of pictures, which a browser shows
subprocess.run(["gittins", "plot", "study.toml"], cwd=folder, check=True, capture_output=True)
print("see", folder / "study.html")
