#!/usr/bin/env python3
"""Makes max_value_entropy.json (needs mpmath).

The table holds the gain g phi/(2 Phi) - ln Phi and its derivative over decades of g, and means over
maxima.
"""
import json
from pathlib import Path

import mpmath as mp

mp.mp.dps = 120


def ratio(g):
    """r = phi/Phi, directly, or by its continued fraction far on the left."""
    if g > -30:
        return mp.npdf(g) / mp.ncdf(g)
    x, rest = -g, -g
    for k in range(400, 0, -1):
        rest = x + k / rest
    return rest


def gain(g):
    g = mp.mpf(g)
    r = ratio(g)
    if g > 0:
        log_probability = mp.log1p(-mp.ncdf(-g))
    elif g > -30:
        log_probability = mp.log(mp.ncdf(g))
    else:
        log_probability = -g * g / 2 - mp.log(2 * mp.pi) / 2 - mp.log(r)
    return g * r / 2 - log_probability


def slope(g):
    g = mp.mpf(g)
    r = ratio(g)
    return -r / 2 * (1 + g * (g + r))


arguments = [-(10.0 ** (k / 2)) for k in range(12, -13, -1)]
arguments += [0.0, -2.500000001, -2.5, -2.499999999, -1.5, -0.7, 0.3, 1.5, 2.5, 6.0, 8.4, 8.6, 12.0, 20.0, 30.0, 37.0, 38.0, 40.0]
arguments += [10.0 ** (k / 2) for k in range(-12, 2)]
distances = [{"g": g, "gain": float(gain(g)), "slope": float(slope(g))} for g in sorted(set(arguments))]
means = []
for mean, sd, maxima in [(0.0, 1.0, [1.0]), (0.0, 1.0, [0.5, 1.0, 2.0]), (0.4, 0.2, [0.5, 0.9]), (-2.0, 0.1, [1.0]), (0.5, 0.01, [0.1, 0.45, 0.51, 0.6])]:
    values = [gain((mp.mpf(f) - mp.mpf(mean)) / mp.mpf(sd)) for f in maxima]
    means.append({"mu": mean, "sigma": sd, "maxima": maxima, "gain": float(mp.fsum(values) / len(values))})
lines = lambda rows: ",\n".join(json.dumps(row) for row in rows)
text = '{\n"distances": [\n' + lines(distances) + '\n],\n"means": [\n' + lines(means) + "\n]\n}\n"
Path(__file__).with_name("max_value_entropy.json").write_text(text)
