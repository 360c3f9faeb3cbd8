"""What programs of the contest read on their command line."""


def whole(text):
    """Numbers and ranges of them: `1-5,10`."""
    found = []
    for part in text.split(","):
        first, _, last = part.partition("-")
        found += range(int(first), int(last or first) + 1)
    return found
