// The standard normal distribution and h(u) = phi(u) + u Phi(u), the expected improvement of a
// standard normal.
//
// As in src/math/normal.rs, everything is made from m = h/Phi and r = phi/Phi, which do not
// underflow where h, phi and Phi do: (ln h)' = 1/m, (ln Phi)' = r. Arguments are at most 1e18 (f32)
// or 1e150 (f64) in magnitude.
// #import math/real

const NORMAL_FRAC_1_SQRT_2PI: real = 0.3989422804014327;
const NORMAL_LN_SQRT_2PI: real = 0.9189385332046728;
const NORMAL_HALF_PI: real = 1.5707963267948966;
const NORMAL_SQRT_HALF_PI: real = 1.2533141373155003;

struct Ratios {
    m: real,
    r: real,
}

// The lower tail at -x: density, Phi(-x), h(-x) and the ratios.
struct NormalTail {
    density: real,
    probability: real,
    h: real,
    m: real,
    r: real,
}

struct NormalLogH {
    value: real,
    ratios: Ratios,
}

// exp(-x^2/2)/sqrt(2 pi). The rounding of x^2 alone would cost x^2/4 units in the last place. The
// upper half of x has an exact square. The rest of the exponent is added where the exponential has
// digits for it.
fn normal_pdf(x: real) -> real {
    let near = clamp(x, -40.0, 40.0);
    let upper = real_upper_half(near);
    let exponent = -0.5 * upper * upper;
    let rest = -0.5 * (near - upper) * (near + upper);
    let value = NORMAL_FRAC_1_SQRT_2PI * real_exp_sum(max(exponent, REAL_EXP_LOWEST), rest);
    return select(0.0, value, exponent >= REAL_EXP_LOWEST);
}

// For x >= 0.
fn normal_tail(x: real) -> NormalTail {
    let m = real_tail(x);
    let r = x + m;
    let density = normal_pdf(x);
    let probability = density / r;
    return NormalTail(density, probability, probability * m, m, r);
}

fn normal_cdf(x: real) -> real {
    let below = normal_tail(abs(x)).probability;
    return select(below, 1.0 - below, x > 0.0);
}

fn normal_log_cdf(x: real) -> real {
    if x <= 0.0 {
        return -0.5 * x * x - NORMAL_LN_SQRT_2PI - real_log(real_tail(-x) - x);
    }
    return real_log1p(-normal_tail(x).probability);
}

fn normal_h(u: real) -> real {
    return max(u, 0.0) + normal_tail(abs(u)).h;
}

fn normal_ratios(u: real) -> Ratios {
    if u <= 0.0 {
        let m = real_tail(-u);
        return Ratios(m, m - u);
    }
    let tail = normal_tail(u);
    let probability = 1.0 - tail.probability;
    return Ratios((u + tail.h) / probability, tail.density / probability);
}

// 1 + u m, positive, and 2/u^2 far on the left, where the sum would cancel.
fn normal_second_ratio(u: real) -> real {
    if u <= 0.0 {
        return 2.0 * real_tail(-u) * real_next_tail(-u);
    }
    return 1.0 + u * normal_ratios(u).m;
}

// ln h(u) and the ratios from which it is made; on the left h = phi m/r.
fn normal_log_h(u: real) -> NormalLogH {
    if u <= 0.0 {
        let m = real_tail(-u);
        let r = m - u;
        return NormalLogH(-0.5 * u * u - NORMAL_LN_SQRT_2PI + real_log(m / r), Ratios(m, r));
    }
    let tail = normal_tail(u);
    let h = u + tail.h;
    let probability = 1.0 - tail.probability;
    return NormalLogH(real_log(h), Ratios(h / probability, tail.density / probability));
}

// The root u of h(u) = kappa from ln kappa and kappa. If ln kappa exceeds REAL_LINEAR_LOG_KAPPA,
// the root is kappa.
//
// Bracketed bisection on F(u) = ln h(u) - ln kappa, which increases, with Halley's step. The start
//
//     kappa <= phi(0):  u0 = sqrt(pi/2) - sqrt(2 w + pi/2),  w = -ln kappa - ln sqrt(2 pi)
//     kappa >  phi(0):  u0 = kappa - phi(0) exp(-kappa sqrt(pi/2))
//
// is exact at kappa = phi(0). As kappa falls, w = x^2/2 + 2 ln x for the root -x, so u0 exceeds the
// root by sqrt(pi/2) = 1.2534 minus a number that tends to zero. Its error stays below 1.26
// everywhere, and a bracket of that half width, widened by the rounding of u0, contains the root.
// Halley's step is taken if it stays inside the bracket, otherwise the middle. The number of steps
// is fixed, so lanes stay together. Halley's error falls from 1.26 to 1e-3, 1e-12 and 1e-15 of
// max(|u|, 0.1).
fn normal_inverse_log_h(log_kappa: real, kappa: real) -> real {
    if log_kappa > REAL_LINEAR_LOG_KAPPA {
        return kappa;
    }
    let w = -log_kappa - NORMAL_LN_SQRT_2PI;
    let left = NORMAL_SQRT_HALF_PI - sqrt(2.0 * max(w, 0.0) + NORMAL_HALF_PI);
    let right = kappa - NORMAL_FRAC_1_SQRT_2PI * real_exp_nonpositive(-kappa * NORMAL_SQRT_HALF_PI);
    var u = select(right, left, w >= 0.0);
    let half_width = 1.26 + 4.0 * REAL_EPS * abs(u);
    var low = u - half_width;
    var high = u + half_width;
    for (var step = 0u; step < REAL_ROOT_STEPS; step++) {
        // F' = 1/m and F''/F'^2 = r m - 1.
        let log_h = normal_log_h(u);
        let residual = log_h.value - log_kappa;
        let is_above = residual > 0.0;
        high = select(high, u, is_above);
        low = select(u, low, is_above);
        let m = log_h.ratios.m;
        // A quarter keeps the quotient finite far from the root, where the step is not taken
        // anyway.
        let bend = max(1.0 - 0.5 * residual * (log_h.ratios.r * m - 1.0), 0.25);
        let halley = u - residual * m / bend;
        u = select(0.5 * (low + high), halley, halley >= low && halley <= high);
    }
    return u;
}
