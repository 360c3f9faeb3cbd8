#!/usr/bin/env python3
"""Prints the polynomial coefficients of real_f32.wgsl and real_f64.wgsl (needs mpmath).

Each polynomial interpolates its function in the Chebyshev nodes of its interval, which is within a small factor of the best fit of its degree, and is written in
powers of a variable in which the terms nowhere sum to more than about three times the value, so that Horner's scheme loses no digits. The error that the exact
polynomial leaves in what it serves (m, n, exp, log, sin, cos), relative, is printed above it; the degrees are the smallest that bring it below a quarter of a unit
roundoff.

  tail   P(s) = m (x + 3),  s = (3 - x)/(3 + x) in [-1, 1], m = h(-x)/Phi(-x) for x >= 0: smooth up to x = infinity, where P = 1
  next   N(s) = n (x + 3),  n = (1/m - x)/2 = 1/(x + 3/(x + 4/(x + ...))), the next level of the fraction of m: also 1 at infinity
  exp    T(r) = (exp(r) - 1 - r)/r^2,  |r| up to half of ln 2 and what normal_pdf adds
  log    R(z) = (2 artanh(s)/s - 2)/z,  z = s^2, s = (f - 1)/(f + 1), f from sqrt(1/2) to sqrt 2
  sine   S(z) = (sin(r)/r - 1)/z,  z = r^2, |r| up to pi/4 and what the rounding of the number of quarter turns adds
  cosine C(z) = (cos(r) - 1 + z/2)/z^2
"""
import struct

import mpmath as mp

mp.mp.dps = 60
CENTER = mp.mpf(3)


def tail_ratio(x):
    """m = h(-x)/Phi(-x): from the definition while 100 digits bear its cancellation, then from the continued fraction."""
    if x < 12:
        with mp.workdps(120):
            probability = mp.erfc(x / mp.sqrt(2)) / 2
            return mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) / probability - x
    terms = 400
    rest = (x + mp.sqrt(x * x + 4 * (terms + 1))) / 2
    for k in range(terms, 1, -1):
        rest = x + k / rest
    return 1 / rest


def tail(s):
    x = CENTER * (1 - s) / (1 + s)
    return tail_ratio(x) * (x + CENTER)


def next_ratio(x):
    """n = (1/m - x)/2, from the fraction where that cancels."""
    if x < 12:
        with mp.workdps(150):
            probability = mp.erfc(x / mp.sqrt(2)) / 2
            return (1 / (mp.exp(-x * x / 2) / mp.sqrt(2 * mp.pi) / probability - x) - x) / 2
    terms = 400
    rest = (x + mp.sqrt(x * x + 4 * (terms + 1))) / 2
    for k in range(terms, 2, -1):
        rest = x + k / rest
    return 1 / rest


def next_tail(s):
    x = CENTER * (1 - s) / (1 + s)
    return next_ratio(x) * (x + CENTER)


def exponential(r):
    with mp.workdps(200):
        return (mp.exp(r) - 1 - r) / (r * r) if abs(r) > 1e-40 else mp.mpf(1) / 2


def logarithm(z):
    with mp.workdps(120):
        s = mp.sqrt(z)
        return (2 * mp.atanh(s) / s - 2) / z


def sine(z):
    with mp.workdps(150):
        r = mp.sqrt(z)
        return (mp.sin(r) / r - 1) / z


def cosine(z):
    with mp.workdps(200):
        return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / (z * z)


def interpolate(f, low, high, degree):
    """Coefficients in powers of the variable itself, constant first."""
    count = degree + 1
    middle, half = (mp.mpf(low) + high) / 2, (mp.mpf(high) - low) / 2
    nodes = [mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    table = [f(middle + half * s) for s in nodes]
    previous, current = [mp.mpf(1)], [-middle / half, 1 / half]
    total = [mp.mpf(0)] * count
    for j in range(count):
        weight = mp.fsum(v * mp.cos(j * mp.pi * (2 * k + 1) / (2 * count)) for k, v in enumerate(table)) * (1 if j == 0 else 2) / count
        polynomial = previous if j == 0 else current
        for i, c in enumerate(polynomial):
            total[i] += weight * c
        if j > 0:
            # T_{j+1} = 2 t T_j - T_{j-1}, t = (x - middle)/half.
            following = [mp.mpf(0)] * (len(current) + 1)
            for i, c in enumerate(current):
                following[i + 1] += 2 * c / half
                following[i] -= 2 * c * middle / half
            for i, c in enumerate(previous):
                following[i] -= c
            previous, current = current, following
    return total


def error(f, coefficients, low, high):
    """The largest relative error over 2000 points."""
    points = [mp.mpf(low) + (mp.mpf(high) - low) * (1 - mp.cos(mp.pi * (k + 0.5) / 2000)) / 2 for k in range(2000)]
    return max(abs(mp.polyval(coefficients[::-1], x) / f(x) - 1) for x in points)


def nearest(precision, value):
    if precision == "f64":
        return repr(float(value))
    single = struct.unpack("f", struct.pack("f", float(value)))[0]
    return min((f"{single:.{digits}g}" for digits in range(6, 10)), key=lambda text: (struct.pack("f", float(text)) != struct.pack("f", single), len(text)))


TINY = mp.mpf("1e-40")
# normal_pdf adds up to x |x - upper_half(x)| to the exponent: 13.2 2^-8 and 38 2^-19.
EXP_END = {"f32": mp.log(2) / 2 + mp.mpf(14) / 256, "f64": mp.log(2) / 2 + mp.mpf(40) / 2**19}
EXP_SHARE = (mp.log(2) / 2) ** 2 / 2 * mp.sqrt(2)
LOG_END = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mp.mpf("1.0001")
LOG_SHARE = LOG_END / 3
TURN_END = (mp.pi / 4) ** 2 * mp.mpf("1.0001")
SINE_SHARE = TURN_END / 6 / mp.mpf("0.9")
COSINE_SHARE = TURN_END**2 / 24 * mp.sqrt(2)
JOBS = {
    "f32": [("TAIL", tail, -1, 1, 13, 1), ("NEXT", next_tail, -1, 1, 14, 1), ("EXP", exponential, -EXP_END["f32"], EXP_END["f32"], 5, EXP_SHARE), ("LOG", logarithm, TINY, LOG_END, 2, LOG_SHARE),
            ("SINE", sine, TINY, TURN_END, 2, SINE_SHARE), ("COSINE", cosine, TINY, TURN_END, 2, COSINE_SHARE)],
    "f64": [("TAIL", tail, -1, 1, 29, 1), ("NEXT", next_tail, -1, 1, 32, 1), ("EXP", exponential, -EXP_END["f64"], EXP_END["f64"], 9, EXP_SHARE), ("LOG", logarithm, TINY, LOG_END, 6, LOG_SHARE),
            ("SINE", sine, TINY, TURN_END, 5, SINE_SHARE), ("COSINE", cosine, TINY, TURN_END, 5, COSINE_SHARE)],
}

for precision, jobs in JOBS.items():
    print(f"== real_{precision}.wgsl")
    for name, f, low, high, degree, share in jobs:
        # The ends of the tails' interval are x = infinity and 0; the first is a limit.
        low = low + TINY if f in (tail, next_tail) else low
        coefficients = interpolate(f, low, high, degree)
        print(f"// degree {degree}, error {mp.nstr(share * error(f, coefficients, low, high), 2)}")
        for k, c in enumerate(coefficients):
            print(f"const REAL_{name}_{k}: {precision} = {nearest(precision, c)};")
