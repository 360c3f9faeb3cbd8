// The parts that both precisions share. Each defines its own constants and polynomials in the file
// that imports this one.

// A whole number n below 2^22 in magnitude, by its bits in single precision, of which the last two
// are zero; the mask keeps the others. Compilers do not see that it is n, and so do not regroup
// (x - n a) - n b as x - n (a + b): the sum of both parts of a constant has lost the second one.
fn real_hidden(n: real, mask: u32) -> real {
    return real(bitcast<f32>(bitcast<u32>(f32(n)) & mask));
}
const REAL_BUT_LAST: u32 = 0xfffffffeu;
const REAL_BUT_LAST_TWO: u32 = 0xfffffffcu;

// x + rest - n ln 2.
fn real_without_binades(x: real, rest: real, n: real) -> real {
    return ((x - n * REAL_LN2_HIGH) - real_hidden(n, REAL_BUT_LAST) * REAL_LN2_LOW) + rest;
}

// exp(x + rest) for x from REAL_EXP_LOWEST to REAL_EXP_HIGHEST and a rest below the digits of x, as
// in normal_pdf.
fn real_exp_sum(x: real, rest: real) -> real {
    let n = floor(x * REAL_LOG2_E + 0.5);
    return real_scale(1.0 + real_exp_reduced(real_without_binades(x, rest, n)), i32(n));
}

// exp(x) for x <= 0; 0 below REAL_EXP_LOWEST.
fn real_exp_nonpositive(x: real) -> real {
    return select(0.0, real_exp_sum(max(x, REAL_EXP_LOWEST), 0.0), x >= REAL_EXP_LOWEST);
}

// exp(x); 0 below REAL_EXP_LOWEST, REAL_MAX above REAL_EXP_HIGHEST.
fn real_exp(x: real) -> real {
    let value = real_exp_sum(clamp(x, REAL_EXP_LOWEST, REAL_EXP_HIGHEST), 0.0);
    return select(select(value, REAL_MAX, x > REAL_EXP_HIGHEST), 0.0, x < REAL_EXP_LOWEST);
}

// k ln 2 + ln(1 + g) for 1 + g from sqrt(1/2) to sqrt(2). With s = g/(2 + g) the second term is 2
// artanh s = g - g^2/2 + s (g^2/2 + R). The terms are added from the smallest to the largest.
fn real_log_sum(k: real, g: real) -> real {
    let s = g / (2.0 + g);
    let z = s * s;
    let square = 0.5 * g * g;
    return k * REAL_LN2_HIGH - ((square - (s * (square + z * real_artanh_tail(z)) + k * REAL_LN2_LOW)) - g);
}


// ln(1 + x) for x > -1. It does not form 1 + x where that would lose the digits of x.
fn real_log1p(x: real) -> real {
    if abs(x) < 0.29 {
        return real_log_sum(0.0, x);
    }
    return real_log(1.0 + x);
}

// m(x) = h(-x)/Phi(-x) for x >= 0, h(u) = phi(u) + u Phi(u). m (x + 3) is a smooth function of s
// from x = 0 (s = 1) to infinity (s = -1), where it is 1. One polynomial therefore serves all x,
// without a branch and without the cancellation of h.
fn real_tail(x: real) -> real {
    let scale = 1.0 / (x + 3.0);
    let s = (3.0 - x) * scale;
    return real_tail_polynomial(s) * scale;
}

// n(x) = (1/m - x)/2 for x >= 0, the next level of the fraction of m, in the same way. It gives 1 -
// x m = 2 m n, which would cancel.
fn real_next_tail(x: real) -> real {
    let scale = 1.0 / (x + 3.0);
    let s = (3.0 - x) * scale;
    return real_next_polynomial(s) * scale;
}

struct RealTurn { sine: real, cosine: real }

// (sin x, cos x), each to an absolute error of about an epsilon while n has no more digits than
// REAL_HALF_PI_HIGH leaves zero. Further out the error grows as that of x does, and both stay
// within 1. x = n pi/2 + r: the lowest bit of n swaps the two, the next bit changes the sign.
fn real_turn(x: real) -> RealTurn {
    let n = floor(x * REAL_FRAC_2_PI + 0.5);
    let r = clamp(real_without_quarters(x, n), -0.8, 0.8);
    let z = r * r;
    let sine = r + r * z * real_sine_tail(z);
    let cosine = 1.0 - z * (0.5 - z * real_cosine_tail(z));
    let quarters = i32(n - 4.0 * floor(0.25 * n));
    let swapped = (quarters & 1) == 1;
    let first = select(sine, cosine, swapped);
    let second = select(cosine, sine, swapped);
    return RealTurn(select(first, -first, quarters >= 2), select(second, -second, quarters == 1 || quarters == 2));
}
