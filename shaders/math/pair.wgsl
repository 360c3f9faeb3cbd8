// Numbers as sums of two, the second below the last digit of the first: twice the digits where
// cancellation would leave too few.
//
// Exact differences give the rounding error (Dekker 1971, "A floating-point technique for extending
// the available precision"). WGSL does not hold compilers to rounding. They may replace sum - a by
// b, and the error would then be zero. An operation on the bits of the first number prevents this,
// because compilers do not see through it. The second number also holds what that operation
// removed.
// #import math/real

struct Pair { high: real, low: real }

// a + b if a is not the smaller.
fn pair_fast_sum(a: real, b: real) -> Pair {
    let sum = real_blunt(a + b);
    return Pair(sum, b - (sum - a));
}

// a + b.
fn pair_sum(a: real, b: real) -> Pair {
    let ordered = abs(a) >= abs(b);
    return pair_fast_sum(select(b, a, ordered), select(a, b, ordered));
}

// a b, by halves whose products are exact, because WGSL does not promise that a fused
// multiplication and addition is fused.
fn pair_product(a: real, b: real) -> Pair {
    let product = real_blunt(a * b);
    let upper_a = real_upper_half(a);
    let upper_b = real_upper_half(b);
    let lower_a = a - upper_a;
    let lower_b = b - upper_b;
    return Pair(product, ((upper_a * upper_b - product) + (upper_a * lower_b + lower_a * upper_b)) + lower_a * lower_b);
}

fn pair_add(a: Pair, b: Pair) -> Pair {
    let sum = pair_sum(a.high, b.high);
    return pair_fast_sum(sum.high, sum.low + (a.low + b.low));
}

fn pair_times(a: Pair, b: Pair) -> Pair {
    let product = pair_product(a.high, b.high);
    return pair_fast_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

// The rest of a after q b was subtracted, over the divisor.
fn pair_correction(a: Pair, q: real, b: real, divisor: real) -> real {
    let product = pair_product(q, b);
    return (((a.high - product.high) - product.low) + a.low) / divisor;
}

// a / b.
fn pair_quotient(a: Pair, b: real) -> Pair {
    let quotient = a.high / b;
    return Pair(quotient, pair_correction(a, quotient, b, b));
}

// The root of a >= 0.
fn pair_sqrt(a: Pair) -> Pair {
    let root = sqrt(a.high);
    return Pair(root, select(0.0, pair_correction(a, root, root, 2.0 * max(root, REAL_MIN)), root > 0.0));
}

// exp(x) for x <= 0; 0 below REAL_EXP_LOWEST. The reduced argument is rounded to a quarter of the
// rounding of the exponential.
fn pair_exp_nonpositive(x: Pair) -> Pair {
    let inside = x.high >= REAL_EXP_LOWEST;
    let argument = max(x.high, REAL_EXP_LOWEST);
    let n = floor(argument * REAL_LOG2_E + 0.5);
    let sum = pair_fast_sum(1.0, real_exp_reduced(real_without_binades(argument, x.low, n)));
    let exponent = i32(n);
    return Pair(select(0.0, real_scale(sum.high, exponent), inside), select(0.0, real_scale(sum.low, exponent), inside));
}
