"""What programs of the contest read on their command line."""

import argparse
import pathlib


def run_or_report(words, out, **lists):
    """A parser of a program that runs and reports: a list of names, all of them unless given, each."""
    parser = argparse.ArgumentParser(description=words,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=["run", "report"])
    parser.add_argument("--out", type=pathlib.Path, default=out)
    for name, known in lists.items():
        parser.add_argument(f"--{name}", default=",".join(known))
    return parser


def whole(text):
    """Numbers and ranges of them: `1-5,10`."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
