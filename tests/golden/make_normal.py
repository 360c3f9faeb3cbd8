#!/usr/bin/env python3
"""Makes normal.json with 60 digits (needs mpmath).

The table holds the normal distribution and the root of h(u) = kappa at arguments at which a naive
double-precision formula fails. Arguments are exact doubles, and results are the nearest doubles
(zero if they underflow).
"""
import json
import os

import mpmath as mp

mp.mp.dps = 60


def density(x):
    return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi)


def log_probability(x):
    # The digits of the tail itself, not of one minus the tail.
    return mp.log(mp.erfc(-x / mp.sqrt(2)) / 2) if x < 0 else mp.log1p(-mp.erfc(x / mp.sqrt(2)) / 2)


def ratios(u):
    with mp.workdps(120):
        probability = mp.erfc(-u / mp.sqrt(2)) / 2
        h = density(u) + u * probability
        return mp.log(h), h / probability, density(u) / probability


def root(log_kappa):
    low, high = -mp.sqrt(2 * abs(log_kappa)) - 3, mp.exp(log_kappa) + 1
    for _ in range(220):
        middle = (low + high) / 2
        low, high = (middle, high) if ratios(middle)[0] < log_kappa else (low, middle)
    return low


XS = [-60.0, -38.4, -37.7, -36.00000095367431, -30.3, -20.7, -12.1, -8.9, -6.3, -4.7, -3.3, -2.6, -2.500000000000001, -2.5,
      -2.4999999999999996, -2.3, -2.1, -1.9, -1.7, -1.3, -1.1, -0.7, -0.3, 0.0, 0.3, 1.1, 2.3, 4.7, 8.4, 8.6, 20.7,
      36.00000095367431, 37.7]
LOG_KAPPAS = [-2200.5, -1400.25, -744.4400719213812, -708.3964185322641, -33.3, -7.7, -6.3, -6.2, -6.1, -5.5, -4.5, -3.5, -2.6, -2.4, -1.3,
              -0.9189385332046729, -0.9189385332046727, -0.8, 0.3, 1.7, 2.19, 2.2]

# Single precision can hold these numbers too: steps of a sixteenth over the body, and four numbers
# in each decade beyond.
SWEEP = [k / 16 for k in range(-112, 113)] + [sign * mantissa * 2.0**k for sign in (-1, 1) for k in range(-40, 41) for mantissa in (1, 1.5) if abs(k) > 2]


def sweep(u):
    log_h, m, r = ratios(mp.mpf(u))
    log_cdf = log_probability(mp.mpf(u))
    return [float(x) for x in (u, density(mp.mpf(u)), mp.exp(log_cdf), log_cdf, mp.exp(log_h), log_h, m, r)]


table = {
    "distribution": [
        dict(x=x, pdf=float(density(mp.mpf(x))), log_cdf=float(log_probability(mp.mpf(x))), cdf=float(mp.exp(log_probability(mp.mpf(x)))),
             log_h=float(ratios(mp.mpf(x))[0]), m=float(ratios(mp.mpf(x))[1]), r=float(ratios(mp.mpf(x))[2]))
        for x in XS],
    "root": [dict(log_kappa=t, kappa=float(mp.exp(mp.mpf(t))), u=float(root(mp.mpf(t)))) for t in LOG_KAPPAS],
    # [u, phi, Phi, ln Phi, h, ln h, h/Phi, phi/Phi].
    "sweep": [sweep(u) for u in SWEEP],
}
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "normal.json"), "w") as out:
    out.write("{\n" + ",\n".join(
        f'"{name}": [\n' + ",\n".join(json.dumps(row) for row in rows) + "\n]" for name, rows in table.items()) + "\n}\n")
