// Numbers in single precision, from bits and polynomials. WGSL does not promise that its own
// functions are near one unit in the last place.
//
// The names are those of real_f64.wgsl. Every other snippet says only `real`.

// #import math/real_common

alias real = f32;

const REAL_MAX: real = 3.4028234663852886e38;
// The smallest normal number. A device may flush smaller ones to zero.
const REAL_MIN: real = 1.1754943508222875e-38;
const REAL_EPS: real = 1.1920928955078125e-7;
// Stands for the logarithm of zero. It is finite, and below the logarithm of every positive number
// that a belief can give.
const REAL_LOG_ZERO: real = -1e37;
// Standardized distances are kept within this, so that their square over a small deviation stays
// finite.
const REAL_FARTHEST: real = 1e15;
// The ln kappa above which the root of h(u) = kappa is kappa to the last digit: h(-u) < 1e-8 there.
const REAL_LINEAR_LOG_KAPPA: real = 1.7;
// The number of Halley steps that take the root from its start to the last digit.
const REAL_ROOT_STEPS: u32 = 2u;

// Below the first, exponentials leave the normal numbers. The second is the largest argument;
// beyond it the result is REAL_MAX.
const REAL_EXP_LOWEST: real = -87.3;
const REAL_EXP_HIGHEST: real = 88.72;
const REAL_LOG2_E: real = 1.4426950408889634;
// ln 2 in two parts. The first has 9 trailing zero bits, so its product with an exponent is exact.
const REAL_LN2_HIGH: real = 0.693145751953125;
const REAL_LN2_LOW: real = 1.428606820309417e-6;

// Whether x is neither infinite nor NaN, from its bits, because comparisons with such numbers mean
// nothing in WGSL.
fn real_is_finite(x: real) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}

// x cut to 12 significant bits, so its square is exact.
fn real_upper_half(x: real) -> real {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// x without its last bit.
fn real_blunt(x: real) -> real {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffffffeu);
}

// y 2^n for n from -252 to 254, in two steps, because 2^n itself may leave the range where y 2^n
// does not.
fn real_scale(y: real, n: i32) -> real {
    let half = n >> 1u;
    return y * bitcast<f32>((half + 127) << 23u) * bitcast<f32>((n - half + 127) << 23u);
}

// (exp(r) - 1 - r)/r^2, by make_coefficients.py.
const REAL_EXP_0: real = 0.5;
const REAL_EXP_1: real = 0.16666667;
const REAL_EXP_2: real = 0.041666303;
const REAL_EXP_3: real = 0.008333293;
const REAL_EXP_4: real = 0.001394891;
const REAL_EXP_5: real = 0.00019907935;

// exp(r) - 1 for r from -ln(2)/2 to ln(2)/2.
fn real_exp_reduced(r: real) -> real {
    var p = REAL_EXP_5;
    p = p * r + REAL_EXP_4;
    p = p * r + REAL_EXP_3;
    p = p * r + REAL_EXP_2;
    p = p * r + REAL_EXP_1;
    p = p * r + REAL_EXP_0;
    return r + r * r * p;
}

// (2 artanh(s)/s - 2)/s^2 as a function of z = s^2, by make_coefficients.py.
const REAL_LOG_0: real = 0.66666687;
const REAL_LOG_1: real = 0.39988777;
const REAL_LOG_2: real = 0.29580054;

fn real_artanh_tail(z: real) -> real {
    var p = REAL_LOG_2;
    p = p * z + REAL_LOG_1;
    p = p * z + REAL_LOG_0;
    return p;
}

// ln x for a positive normal x = 2^k f, f from sqrt(1/2) = 0x3f3504f3 on.
fn real_log(x: real) -> real {
    let bits = bitcast<i32>(x);
    let k = (bits - 0x3f3504f3) >> 23u;
    return real_log_sum(f32(k), bitcast<f32>(bits - (k << 23u)) - 1.0);
}

const REAL_FRAC_2_PI: real = 0.63661975;
// pi/2 in three parts. The first two have 8 and 9 bits, so their products with fewer than 2^15
// quarter turns are exact.
const REAL_HALF_PI_HIGH: real = 1.5703125;
const REAL_HALF_PI_MIDDLE: real = 0.00048351287841796875;
const REAL_HALF_PI_LOW: real = 3.1391647326017846e-7;

// x - n pi/2.
fn real_without_quarters(x: real, n: real) -> real {
    let near = (x - n * REAL_HALF_PI_HIGH) - real_hidden(n, REAL_BUT_LAST) * REAL_HALF_PI_MIDDLE;
    return near - real_hidden(n, REAL_BUT_LAST_TWO) * REAL_HALF_PI_LOW;
}

// (sin(r)/r - 1)/z as a function of z = r^2, by make_coefficients.py.
const REAL_SINE_0: real = -0.16666664;
const REAL_SINE_1: real = 0.008332748;
const REAL_SINE_2: real = -0.00019587866;

fn real_sine_tail(z: real) -> real {
    var p = REAL_SINE_2;
    p = p * z + REAL_SINE_1;
    p = p * z + REAL_SINE_0;
    return p;
}

// (cos(r) - 1 + z/2)/z^2, by make_coefficients.py.
const REAL_COSINE_0: real = 0.041666664;
const REAL_COSINE_1: real = -0.0013888302;
const REAL_COSINE_2: real = 2.4547917e-05;

fn real_cosine_tail(z: real) -> real {
    var p = REAL_COSINE_2;
    p = p * z + REAL_COSINE_1;
    p = p * z + REAL_COSINE_0;
    return p;
}

// m(x) (x + 3) as a function of s = (3 - x)/(3 + x), by make_coefficients.py.
const REAL_TAIL_0: real = 1.698592;
const REAL_TAIL_1: real = 0.8415388;
const REAL_TAIL_2: real = 0.01716409;
const REAL_TAIL_3: real = -0.18569875;
const REAL_TAIL_4: real = -0.02545028;
const REAL_TAIL_5: real = 0.0546253;
const REAL_TAIL_6: real = 0.0077982866;
const REAL_TAIL_7: real = -0.01835013;
const REAL_TAIL_8: real = -0.0012529719;
const REAL_TAIL_9: real = 0.0061336993;
const REAL_TAIL_10: real = -9.53016e-05;
const REAL_TAIL_11: real = -0.0016793758;
const REAL_TAIL_12: real = 7.1104245e-05;
const REAL_TAIL_13: real = 0.000257324;

fn real_tail_polynomial(s: real) -> real {
    var p = REAL_TAIL_13;
    p = p * s + REAL_TAIL_12;
    p = p * s + REAL_TAIL_11;
    p = p * s + REAL_TAIL_10;
    p = p * s + REAL_TAIL_9;
    p = p * s + REAL_TAIL_8;
    p = p * s + REAL_TAIL_7;
    p = p * s + REAL_TAIL_6;
    p = p * s + REAL_TAIL_5;
    p = p * s + REAL_TAIL_4;
    p = p * s + REAL_TAIL_3;
    p = p * s + REAL_TAIL_2;
    p = p * s + REAL_TAIL_1;
    p = p * s + REAL_TAIL_0;
    return p;
}

// n(x) (x + 3) as a function of the same s, by make_coefficients.py.
const REAL_NEXT_0: real = 1.5970125;
const REAL_NEXT_1: real = 0.5558636;
const REAL_NEXT_2: real = -0.2147355;
const REAL_NEXT_3: real = -0.15044259;
const REAL_NEXT_4: real = 0.087014265;
const REAL_NEXT_5: real = 0.0422787;
const REAL_NEXT_6: real = -0.043988295;
const REAL_NEXT_7: real = -0.0072218752;
const REAL_NEXT_8: real = 0.020942288;
const REAL_NEXT_9: real = -0.0019025337;
const REAL_NEXT_10: real = -0.008217088;
const REAL_NEXT_11: real = 0.0018643042;
const REAL_NEXT_12: real = 0.0022831035;
const REAL_NEXT_13: real = -0.0004540331;
const REAL_NEXT_14: real = -0.00032573164;

fn real_next_polynomial(s: real) -> real {
    var p = REAL_NEXT_14;
    p = p * s + REAL_NEXT_13;
    p = p * s + REAL_NEXT_12;
    p = p * s + REAL_NEXT_11;
    p = p * s + REAL_NEXT_10;
    p = p * s + REAL_NEXT_9;
    p = p * s + REAL_NEXT_8;
    p = p * s + REAL_NEXT_7;
    p = p * s + REAL_NEXT_6;
    p = p * s + REAL_NEXT_5;
    p = p * s + REAL_NEXT_4;
    p = p * s + REAL_NEXT_3;
    p = p * s + REAL_NEXT_2;
    p = p * s + REAL_NEXT_1;
    p = p * s + REAL_NEXT_0;
    return p;
}
