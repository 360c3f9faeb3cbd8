"""Makes front.json with 150 digits (needs mpmath): ln EHVI of fronts, and its derivatives.

The definition is the sum over a grid: the coordinates of the points and of the reference point cut
the space into boxes, and a box counts if no point is at least as large as its upper corner. One
front is checked against the integral of the hypervolume improvement over the density. Beside each
derivative stands the sum of the absolute values of its terms. `logs` is the sum of the absolute
logarithms of the factors of the largest term.
"""
import itertools
import json
import os
import random

import mpmath as mp

mp.mp.dps = 150


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def below(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def h(x):
    return density(x) + x * below(x)


def factor(lower, upper, mean, sd):
    """psi and its derivatives by mean and sd. With sd = 0 the one by the mean is from the left."""
    if sd == 0:
        inside = lower < mean and (upper is None or mean <= upper)
        top = mean if upper is None else min(mean, upper)
        return max(top - lower, mp.mpf(0)), mp.mpf(inside), mp.mpf(0)
    b = (mean - lower) / sd
    psi, p, s = sd * h(b), below(b), density(b)
    if upper is not None:
        a = (mean - upper) / sd
        psi, p, s = psi - sd * h(a), p - below(a), s - density(a)
    return psi, p, s


def improvement(reference, points, mean, sd):
    m = len(reference)
    axes = []
    for k in range(m):
        ends = sorted({reference[k]} | {p[k] for p in points if p[k] > reference[k]})
        axes.append([(l, u, factor(mp.mpf(l), None if u is None else mp.mpf(u), mean[k], sd[k])) for l, u in zip(ends, ends[1:] + [None])])
    total, terms = mp.mpf(0), [[mp.mpf(0)] * 4 for _ in range(m)]
    largest, logs = mp.mpf(-1), None
    for box in itertools.product(*axes):
        if any(all(u is not None and p[k] >= u for k, (l, u, _) in enumerate(box)) for p in points):
            continue
        values = [f[0] for _, _, f in box]
        product = mp.fprod(values)
        total += product
        if product > largest:
            largest, logs = product, mp.fsum(abs(mp.log(v)) for v in values) if product > 0 else 0
        for k in range(m):
            others = mp.fprod(values[:k] + values[k + 1 :])
            for i, slope in enumerate(box[k][2][1:]):
                terms[k][2 * i] += others * slope
                terms[k][2 * i + 1] += others * abs(slope)
    return total, terms, logs


def check():
    """Two points: the integral of the improvement times the density, piece by piece."""
    points, mean, sd = [(2.0, 1.0), (1.0, 2.5)], [mp.mpf("1.2"), mp.mpf("0.7")], [mp.mpf("0.6"), mp.mpf("0.9")]

    def gain(x, y):
        area = max(x, 0) * max(y, 0)
        a, b = [[max(min(q, c), 0) for q, c in zip(p, (x, y))] for p in points]
        return area - a[0] * a[1] - b[0] * b[1] + min(a[0], b[0]) * min(a[1], b[1])

    weight = lambda x, k: density((x - mean[k]) / sd[k]) / sd[k]
    with mp.workdps(20):
        by_hand = mp.quad(lambda x, y: gain(x, y) * weight(x, 0) * weight(y, 1), [0, 1, 2, 4, 8], [0, 1, 2.5, 5, 10])
    exact, _, _ = improvement((0.0, 0.0), points, mean, sd)
    assert abs(by_hand / exact - 1) < mp.mpf(10) ** -15, by_hand / exact - 1


def front(rng, m, n, spread):
    """Points near a ball of radius one. A narrow front has them within `spread` of one point."""
    center = [0.7, 0.6, 0.5][:m]
    points = []
    for _ in range(n):
        p = [rng.random() for _ in range(m)]
        norm = sum(c * c for c in p) ** 0.5
        points.append([round(c / norm, 4) if spread == 1 else round(o + spread * (c / norm - 0.5), 14) for c, o in zip(p, center)])
    return points


def beliefs(rng, m, spread):
    def sds(low, high):
        return [float(f"{10 ** rng.uniform(low, high):.3g}") for _ in range(m)]

    for _ in range(3):
        yield [round(rng.uniform(0.0, 1.2), 3) for _ in range(m)], sds(-1, 0)
    # Wide against the front, and narrow against it.
    yield [round(rng.uniform(-1, 2), 3) for _ in range(m)], sds(2, 6)
    yield [round(rng.uniform(0.3, 0.9), 3) for _ in range(m)], sds(-3, -2)
    yield [0.65, 0.55, 0.45][:m], sds(-8, -6)
    # Below the reference point by so many standard deviations.
    for far in (10.0, 40.0, 400.0, 1e5):
        sd = sds(-1, 0)
        yield [round(0.1 - far * s, 6) for s in sd], sd
    # Far below in the first objective alone, and far above in the last one.
    sd = sds(-2, 0)
    yield [-40.0 * sd[0]] + [0.5] * (m - 1), sd
    yield [0.2] * (m - 1) + [1.0 + 30.0 * sd[-1]], sd
    # Inside the front by some standard deviations.
    yield [0.3] * m, [0.02] * m
    yield [1.5] * m, sds(-3, 1)
    # Known objectives.
    yield [0.8] * m, [0.0] + sds(-1, 0)[1:]
    yield [0.25] * m, sds(-2, -1)[1:] + [0.0]
    yield [1.25] * m, [0.0] * m
    yield [0.05] * m, [0.0] * m


def main():
    check()
    rng = random.Random(2019)
    table = []
    for m, n, spread in [(2, 0, 1), (2, 6, 1), (2, 15, 1), (2, 5, 1e-3), (2, 5, 1e-7), (3, 1, 1), (3, 6, 1), (3, 12, 1), (3, 5, 1e-3), (3, 5, 1e-7)]:
        reference, points = [0.1, 0.05, 0.02][:m], front(rng, m, n, spread)
        rows = []
        for mean, sd in beliefs(rng, m, spread):
            total, terms, logs = improvement(reference, points, [mp.mpf(x) for x in mean], [mp.mpf(x) for x in sd])
            row = {"mean": mean, "sd": sd, "value": "-inf"}
            if total > 0:
                slopes = [[float(f"{float(t / total):.17g}") for t in of] for of in terms]
                row.update(value=float(mp.log(total)), logs=float(f"{float(logs):.4g}"))
                row.update(d_mean=[s[0] for s in slopes], d_sd=[s[2] for s in slopes])
                row.update(terms_mean=[float(f"{s[1]:.4g}") for s in slopes], terms_sd=[float(f"{s[3]:.4g}") for s in slopes])
            rows.append(row)
        table.append({"reference": reference, "points": points, "rows": rows})
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "front.json"), "w") as out:
        out.write("[\n" + ",\n".join(
            f'{{"reference": {json.dumps(t["reference"])}, "points": {json.dumps(t["points"])}, "rows": [\n' + ",\n".join(json.dumps(r) for r in t["rows"]) + "\n]}" for t in table) + "\n]\n")


main()
