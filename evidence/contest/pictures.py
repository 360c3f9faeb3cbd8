"""The pictures of the page: small SVG files, the same from the same runs."""

import html
import math

import numpy as np

import comparison
import problems

COLORS = {"gp": "#0072b2", "tpe": "#56b4e9", "cma": "#009e73", "botorch": "#d55e00",
          "random": "#999999", "cma-es": "#009e73", "turbo": "#cc79a7", "msr": "#e69f00",
          "botorch-around": "#d55e00", "tpe-single": "#009e73", "tpe-group": "#e69f00",
          "botorch-mixed": "#d55e00"}
WIDTH, HEIGHT, LEFT, TOP, COLUMNS = 250, 150, 62, 30, 3


def color(label, us):
    return "#000000" if label == us else COLORS.get(label, "#666666")


class Panel:
    """One pair of axes: data in, elements of the picture out."""

    def __init__(self, title, x, y, log=False):
        self.title, self.log, self.body = title, log, []
        self.x, self.y = x, tuple(map(math.log10, y)) if log else y
        self.marks = []

    def place(self, x, y):
        across = (x - self.x[0]) / (self.x[1] - self.x[0])
        up = ((math.log10(y) if self.log else y) - self.y[0]) / (self.y[1] - self.y[0])
        return across * WIDTH, HEIGHT * (1 - up)

    def line(self, xs, ys, stroke, width):
        points = [self.place(x, y) for x, y in zip(xs, ys) if math.isfinite(y)]
        text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        self.body.append(f'<polyline points="{text}" stroke="{stroke}" stroke-width="{width}"/>')

    def band(self, xs, lows, highs, fill):
        points = [self.place(x, y) for x, y in zip(xs, lows)]
        points += [self.place(x, y) for x, y in zip(xs[::-1], highs[::-1])]
        text = " ".join(f"{x:.0f},{y:.0f}" for x, y in points)
        self.body.append(f'<polygon points="{text}" fill="{fill}" fill-opacity="0.13"/>')

    def dot(self, x, y, fill):
        x, y = self.place(x, y)
        self.body.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}"/>')

    def ticks(self):
        """Round numbers on both axes, or the names that were given to places on the second."""
        out = []
        for value in rounded(*self.x):
            x, _ = self.place(value, 10 ** self.y[0] if self.log else self.y[0])
            out.append(f'<text x="{x:.1f}" y="{HEIGHT + 14}" text-anchor="middle">{value:g}</text>')
        marks = self.marks or [
            (10**v if self.log else v, f"{10**v:.3g}" if self.log else f"{v:g}")
            for v in rounded(*self.y)
        ]
        for value, text in marks:
            _, y = self.place(self.x[0], value)
            out.append(f'<text x="-5" y="{y + 4:.1f}" text-anchor="end">{html.escape(text)}</text>')
        return out

    def svg(self, x, y):
        frame = f'<path d="M0,0V{HEIGHT}H{WIDTH}" stroke="#444"/>'
        title = f'<text y="-8" font-weight="bold">{html.escape(self.title)}</text>'
        inside = "\n".join([title, frame, *self.ticks(), *self.body])
        return f'<g transform="translate({x},{y})">\n{inside}\n</g>'


def rounded(low, high):
    """Some three to six round numbers between two."""
    step = 10.0 ** math.floor(math.log10((high - low) / 2))
    while (high - low) / step > 5:
        step *= 2 if (high - low) / step <= 10 else 2.5
    first = math.ceil(low / step - 1e-9)
    count = math.floor(high / step + 1e-9) - first + 1
    return [round((first + k) * step, 12) for k in range(count)]


def save(path, panels, caption, labels=(), us=None):
    """Panels in rows of three, a caption for their first axes, and who is who."""
    lines = -(-len(panels) // COLUMNS)
    width = COLUMNS * (WIDTH + LEFT) + 20
    height = lines * (HEIGHT + TOP + 24) + 50
    body = []
    for k, panel in enumerate(panels):
        column, line = k % COLUMNS, k // COLUMNS
        body.append(panel.svg(LEFT + column * (WIDTH + LEFT), TOP + line * (HEIGHT + TOP + 24)))
    body.append(f'<text x="{LEFT}" y="{height - 28}">{html.escape(caption)}</text>')
    for k, label in enumerate(labels):
        x, y = LEFT + 110 * k, height - 10
        line = f'<path d="M{x},{y - 4}h22" stroke="{color(label, us)}" stroke-width="3"/>'
        body.append(line + f'<text x="{x + 28}" y="{y}">{html.escape(label)}</text>')
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="11">\n<rect width="100%" height="100%" fill="#fff"/>\n'
        '<g fill="none" stroke-linejoin="round">\n'
        + "\n".join(body).replace("<text", '<text fill="#222"') + "\n</g>\n</svg>\n"
    )


def stroke(label, us):
    return color(label, us), 2.4 if label == us else 1.3


def profiles(found, us, path):
    """Shares of targets against evaluations: all problems, and each group."""
    last = max(r["evaluations"] for records in found.values() for r in records.values())
    numbers = np.unique(np.linspace(1, last, 50).astype(int))
    panels = []
    for name in ["all", *problems.GROUPS]:
        curves = {}
        for label, records in found.items():
            chosen = [r for (id, _), r in records.items()
                      if name == "all" or problems.group(id) == name]
            if chosen:
                curves[label] = comparison.profile(chosen, numbers)
        if not curves:
            continue
        top = max(curve.max() for curve in curves.values())
        panel = Panel(name, (0, last), (0, max(top, 0.05)))
        for label, curve in curves.items():
            panel.line(numbers, curve, *stroke(label, us))
        panels.append(panel)
    save(path, panels, "share of targets reached, against evaluations", found, us)


def critical(groups, us, path, unit="problems"):
    """Mean ranks of each group; who is within the bar of the best is not told apart from it."""
    panels = []
    for name, (mean, _, distance, count) in groups.items():
        order = sorted(mean, key=mean.get)
        panel = Panel(f"{name} ({count} {unit})", (1, len(order)), (len(order) - 0.5, -1))
        panel.marks = list(enumerate(order))
        first = mean[order[0]]
        panel.line([first, min(first + distance, len(order))], [-0.6, -0.6], "#000000", 2)
        for k, label in enumerate(order):
            panel.dot(mean[label], k, color(label, us))
        panels.append(panel)
    save(path, panels, "mean rank; the bar is the critical difference from the best")


def spending(found, us, path):
    """The median best value against the money spent, a panel each problem."""
    panels = []
    for id in sorted({id for records in found.values() for id, _ in records}):
        curves = {}
        for label, records in found.items():
            chosen = [r for (other, _), r in records.items() if other == id]
            if not chosen:
                continue
            money = np.linspace(0, chosen[0]["money"], 51)[1:]
            values = [[comparison.best(r, comparison.afforded(r, m)) for m in money]
                      for r in chosen]
            curves[label] = np.maximum(np.median(values, axis=0), comparison.SMALLEST)
        # What the first trials found hides the rest: the panel begins at a fifth of the money.
        shown = np.concatenate([curve[9:] for curve in curves.values()])
        shown = shown[np.isfinite(shown)]
        if shown.max() <= shown.min():
            continue
        low, high = shown.min(), shown.max()
        panel = Panel(id, (money[9], money[-1]), (low, high), log=low > comparison.SMALLEST)
        for label, curve in curves.items():
            panel.line(money[9:], curve[9:], *stroke(label, us))
        panels.append(panel)
    save(path, panels, "median best value, against money in seconds", found, us)


def progress(found, ids, us, path):
    """The median best value against evaluations and its quartiles, a panel each problem.

    A curve ends where the first of its runs does.
    """
    panels = []
    for id in ids:
        curves = {}
        for label, records in found.items():
            chosen = [r for (other, _), r in records.items() if other == id]
            if not chosen:
                continue
            last = min(r["evaluations"] for r in chosen)
            # From some design on: what the first trials found would hide the rest.
            numbers = np.unique(np.geomspace(5, last, 26).astype(int))
            values = [[comparison.best(r, n) for n in numbers] for r in chosen]
            values = np.maximum(values, comparison.SMALLEST)
            curves[label] = numbers, np.percentile(values, (25, 50, 75), axis=0), len(chosen)
        if not curves:
            continue
        last = max(numbers[-1] for numbers, *_ in curves.values())
        shown = np.concatenate([middle for _, (_, middle, _), _ in curves.values()])
        low, high = shown.min() / 1.05, shown.max() * 1.05
        panel = Panel(id, (0, last), (low, high), log=True)
        for label, (numbers, quartiles, count) in curves.items():
            lower, middle, upper = np.clip(quartiles, low, high)
            if count > 2:
                panel.band(numbers, lower, upper, color(label, us))
            panel.line(numbers, middle, *stroke(label, us))
        panels.append(panel)
    save(path, panels, "best value against evaluations: median, quartiles", found, us)
