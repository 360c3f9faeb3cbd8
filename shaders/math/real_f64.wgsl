// Numbers in double precision. WGSL has no exponential, no logarithm and no 64-bit integers for
// them. Exponents are read, and powers of two are made, through single precision, whose bits are
// accessible.
//
// The names are those of real_f32.wgsl. Every other snippet says only `real`.

// #import math/real_common

alias real = f64;

const REAL_MAX: real = 1.7976931348623157e308;
// The smallest normal number. A device may flush smaller ones to zero.
const REAL_MIN: real = 2.2250738585072014e-308;
const REAL_EPS: real = 2.220446049250313e-16;
// Stands for the logarithm of zero. It is finite, and below the logarithm of every positive number
// that a belief can give.
const REAL_LOG_ZERO: real = -1e300;
// Standardized distances are kept within this, so that their square over a small deviation stays
// finite.
const REAL_FARTHEST: real = 1e150;
// The ln kappa above which the root of h(u) = kappa is kappa to the last digit: h(-u) < 1e-20
// there.
const REAL_LINEAR_LOG_KAPPA: real = 2.2;
// The number of Halley steps that take the root from its start to the last digit.
const REAL_ROOT_STEPS: u32 = 3u;

// Below the first, exponentials leave the normal numbers. The second is the largest argument;
// beyond it the result is REAL_MAX.
const REAL_EXP_LOWEST: real = -708.0;
const REAL_EXP_HIGHEST: real = 709.78;
const REAL_LOG2_E: real = 1.4426950408889634;
// ln 2 in two parts. The first has 21 trailing zero bits, so its product with an exponent is exact.
const REAL_LN2_HIGH: real = 0.6931471803691238;
const REAL_LN2_LOW: real = 1.9082149292705877e-10;

// Whether x is neither infinite nor NaN, from its bits in single precision, because comparisons
// with such numbers mean nothing in WGSL.
fn real_is_finite(x: real) -> bool {
    return (bitcast<u32>(f32(x * 1e-270)) & 0x7f800000u) != 0x7f800000u;
}

// x to 24 significant bits, so its square is exact; |x| < 3e38.
fn real_upper_half(x: real) -> real {
    return f64(f32(x));
}

// x itself: 64-bit floats have no accessible bits here, and enough digits without.
fn real_blunt(x: real) -> real {
    return x;
}

// 2^n for n from -126 to 127.
fn real_power_of_two(n: i32) -> real {
    return f64(bitcast<f32>((n + 127) << 23u));
}

// y 2^n for n from -1024 to 1024. n = 16 a + b keeps the powers of 2^a normal. 2^(8 a) is applied
// twice, because 2^n itself may leave the range.
fn real_scale(y: real, n: i32) -> real {
    let a = real_power_of_two(n >> 4u);
    let a2 = a * a;
    let a4 = a2 * a2;
    let a8 = a4 * a4;
    return y * real_power_of_two(n & 15) * a8 * a8;
}

// (exp(r) - 1 - r)/r^2, by make_coefficients.py.
const REAL_EXP_0: real = 0.5000000000000001;
const REAL_EXP_1: real = 0.16666666666666669;
const REAL_EXP_2: real = 0.04166666666662409;
const REAL_EXP_3: real = 0.008333333333330058;
const REAL_EXP_4: real = 0.001388888891723415;
const REAL_EXP_5: real = 0.0001984126986306933;
const REAL_EXP_6: real = 2.4801521264210302e-05;
const REAL_EXP_7: real = 2.755726843558545e-06;
const REAL_EXP_8: real = 2.7620103542904325e-07;
const REAL_EXP_9: real = 2.510039710564656e-08;

// exp(r) - 1 for r from -ln(2)/2 to ln(2)/2.
fn real_exp_reduced(r: real) -> real {
    var p = REAL_EXP_9;
    p = p * r + REAL_EXP_8;
    p = p * r + REAL_EXP_7;
    p = p * r + REAL_EXP_6;
    p = p * r + REAL_EXP_5;
    p = p * r + REAL_EXP_4;
    p = p * r + REAL_EXP_3;
    p = p * r + REAL_EXP_2;
    p = p * r + REAL_EXP_1;
    p = p * r + REAL_EXP_0;
    return r + r * r * p;
}

// (2 artanh(s)/s - 2)/s^2 as a function of z = s^2, by make_coefficients.py.
const REAL_LOG_0: real = 0.666666666666667;
const REAL_LOG_1: real = 0.39999999999899444;
const REAL_LOG_2: real = 0.2857142862600327;
const REAL_LOG_3: real = 0.22222211130259878;
const REAL_LOG_4: real = 0.18182889455674947;
const REAL_LOG_5: real = 0.15331710618210773;
const REAL_LOG_6: real = 0.14616585424888623;

fn real_artanh_tail(z: real) -> real {
    var p = REAL_LOG_6;
    p = p * z + REAL_LOG_5;
    p = p * z + REAL_LOG_4;
    p = p * z + REAL_LOG_3;
    p = p * z + REAL_LOG_2;
    p = p * z + REAL_LOG_1;
    p = p * z + REAL_LOG_0;
    return p;
}

// 2^683, 2^228 and their inverses; exact.
const REAL_FAR: real = 4.013165208090495e+205;
const REAL_FAR_INVERSE: real = 2.491798737774392e-206;
const REAL_NEAR: real = 4.3135914667441024e+68;
const REAL_NEAR_INVERSE: real = 2.3182538441796384e-69;
// 2^342 and 2^114, where the scalings begin.
const REAL_FAR_FROM: real = 8.958978968711217e+102;
const REAL_FAR_BELOW: real = 1.1161986242990967e-103;
const REAL_NEAR_FROM: real = 2.076918743413931e+34;
const REAL_NEAR_BELOW: real = 4.81482486096809e-35;

// ln x for a positive normal x = 2^k f, f from about sqrt(1/2) = 0x3f3504f3 on. Two exact scalings
// bring x between 2^-114 and 2^114, where its exponent can be read in single precision. That may
// round f across the border, which does no harm.
fn real_log(x: real) -> real {
    let is_far = x >= REAL_FAR_FROM;
    let is_far_below = x < REAL_FAR_BELOW;
    let far = x * select(select(1.0, REAL_FAR, is_far_below), REAL_FAR_INVERSE, is_far);
    let is_near = far >= REAL_NEAR_FROM;
    let is_near_below = far < REAL_NEAR_BELOW;
    let scaled = far * select(select(1.0, REAL_NEAR, is_near_below), REAL_NEAR_INVERSE, is_near);
    let undo = select(select(0, -683, is_far_below), 683, is_far) + select(select(0, -228, is_near_below), 228, is_near);
    let k = (bitcast<i32>(f32(scaled)) - 0x3f3504f3) >> 23u;
    return real_log_sum(f64(k + undo), scaled * real_power_of_two(-k) - 1.0);
}

const REAL_FRAC_2_PI: real = 0.6366197723675814;
// pi/2 in two parts. The first has 33 bits, so its product with fewer than 2^20 quarter turns is
// exact.
const REAL_HALF_PI_HIGH: real = 1.5707963267341256;
const REAL_HALF_PI_LOW: real = 6.077100506506192e-11;

// x - n pi/2.
fn real_without_quarters(x: real, n: real) -> real {
    return (x - n * REAL_HALF_PI_HIGH) - real_hidden(n, REAL_BUT_LAST) * REAL_HALF_PI_LOW;
}

// (sin(r)/r - 1)/z as a function of z = r^2, by make_coefficients.py.
const REAL_SINE_0: real = -0.16666666666666666;
const REAL_SINE_1: real = 0.008333333333330948;
const REAL_SINE_2: real = -0.00019841269836756774;
const REAL_SINE_3: real = 2.7557316101617874e-06;
const REAL_SINE_4: real = -2.505113165023518e-08;
const REAL_SINE_5: real = 1.5918115263265974e-10;

fn real_sine_tail(z: real) -> real {
    var p = REAL_SINE_5;
    p = p * z + REAL_SINE_4;
    p = p * z + REAL_SINE_3;
    p = p * z + REAL_SINE_2;
    p = p * z + REAL_SINE_1;
    p = p * z + REAL_SINE_0;
    return p;
}

// (cos(r) - 1 + z/2)/z^2, by make_coefficients.py.
const REAL_COSINE_0: real = 0.041666666666666664;
const REAL_COSINE_1: real = -0.0013888888888887398;
const REAL_COSINE_2: real = 2.480158729876456e-05;
const REAL_COSINE_3: real = -2.7557317271145144e-07;
const REAL_COSINE_4: real = 2.087614614655861e-09;
const REAL_COSINE_5: real = -1.1382623647474604e-11;

fn real_cosine_tail(z: real) -> real {
    var p = REAL_COSINE_5;
    p = p * z + REAL_COSINE_4;
    p = p * z + REAL_COSINE_3;
    p = p * z + REAL_COSINE_2;
    p = p * z + REAL_COSINE_1;
    p = p * z + REAL_COSINE_0;
    return p;
}

// m(x) (x + 3) as a function of s = (3 - x)/(3 + x), by make_coefficients.py.
const REAL_TAIL_0: real = 1.698591929582619;
const REAL_TAIL_1: real = 0.8415387946870332;
const REAL_TAIL_2: real = 0.017163146774306772;
const REAL_TAIL_3: real = -0.18569957991791414;
const REAL_TAIL_4: real = -0.025434750641395026;
const REAL_TAIL_5: real = 0.05463860594437267;
const REAL_TAIL_6: real = 0.0076997623131083125;
const REAL_TAIL_7: real = -0.01843122499803153;
const REAL_TAIL_8: real = -0.0009428858599653566;
const REAL_TAIL_9: real = 0.006371543766967961;
const REAL_TAIL_10: real = -0.0006340017207229711;
const REAL_TAIL_11: real = -0.002043526201883026;
const REAL_TAIL_12: real = 0.0006121208123174968;
const REAL_TAIL_13: real = 0.0005421554740408016;
const REAL_TAIL_14: real = -0.00032285880822024613;
const REAL_TAIL_15: real = -9.18695053838498e-05;
const REAL_TAIL_16: real = 0.00012218931093341685;
const REAL_TAIL_17: real = -5.390023173300267e-06;
const REAL_TAIL_18: real = -3.27380512577405e-05;
const REAL_TAIL_19: real = 1.0473473071291055e-05;
const REAL_TAIL_20: real = 4.893400531331622e-06;
const REAL_TAIL_21: real = -3.6670617217901106e-06;
const REAL_TAIL_22: real = 3.35127025973943e-07;
const REAL_TAIL_23: real = 4.5554003408036604e-07;
const REAL_TAIL_24: real = -3.808769188259553e-07;
const REAL_TAIL_25: real = 1.2186714103688495e-07;
const REAL_TAIL_26: real = 8.75111536130135e-08;
const REAL_TAIL_27: real = -5.980396769850392e-08;
const REAL_TAIL_28: real = -7.669217745994272e-09;
const REAL_TAIL_29: real = 7.963712369097434e-09;

fn real_tail_polynomial(s: real) -> real {
    var p = REAL_TAIL_29;
    p = p * s + REAL_TAIL_28;
    p = p * s + REAL_TAIL_27;
    p = p * s + REAL_TAIL_26;
    p = p * s + REAL_TAIL_25;
    p = p * s + REAL_TAIL_24;
    p = p * s + REAL_TAIL_23;
    p = p * s + REAL_TAIL_22;
    p = p * s + REAL_TAIL_21;
    p = p * s + REAL_TAIL_20;
    p = p * s + REAL_TAIL_19;
    p = p * s + REAL_TAIL_18;
    p = p * s + REAL_TAIL_17;
    p = p * s + REAL_TAIL_16;
    p = p * s + REAL_TAIL_15;
    p = p * s + REAL_TAIL_14;
    p = p * s + REAL_TAIL_13;
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
const REAL_NEXT_0: real = 1.5970125528754815;
const REAL_NEXT_1: real = 0.5558633072821252;
const REAL_NEXT_2: real = -0.214735504008118;
const REAL_NEXT_3: real = -0.15043081078579743;
const REAL_NEXT_4: real = 0.08701463755496343;
const REAL_NEXT_5: real = 0.04214747821251639;
const REAL_NEXT_6: real = -0.04399073693364607;
const REAL_NEXT_7: real = -0.006562059102907327;
const REAL_NEXT_8: real = 0.020939129860876718;
const REAL_NEXT_9: real = -0.003667606632220349;
const REAL_NEXT_10: real = -0.008139484396925467;
const REAL_NEXT_11: real = 0.004556824160509791;
const REAL_NEXT_12: real = 0.0019832073560360486;
const REAL_NEXT_13: real = -0.002833613070601798;
const REAL_NEXT_14: real = 0.00023866291996114876;
const REAL_NEXT_15: real = 0.0011768402359508322;
const REAL_NEXT_16: real = -0.0006011392674934939;
const REAL_NEXT_17: real = -0.00026482455701551947;
const REAL_NEXT_18: real = 0.0003791927086529427;
const REAL_NEXT_19: real = -5.149464741816676e-05;
const REAL_NEXT_20: real = -0.00014101800248419988;
const REAL_NEXT_21: real = 8.524834325656368e-05;
const REAL_NEXT_22: real = 2.2896217206234785e-05;
const REAL_NEXT_23: real = -4.6499005035093656e-05;
const REAL_NEXT_24: real = 8.791518004609057e-06;
const REAL_NEXT_25: real = 1.5926014121382686e-05;
const REAL_NEXT_26: real = -8.031177467671018e-06;
const REAL_NEXT_27: real = -3.5547142926908314e-06;
const REAL_NEXT_28: real = 3.014349478385835e-06;
const REAL_NEXT_29: real = 4.6767376791635403e-07;
const REAL_NEXT_30: real = -6.280979085423809e-07;
const REAL_NEXT_31: real = -2.6420334484851835e-08;
const REAL_NEXT_32: real = 5.9510007574734546e-08;

fn real_next_polynomial(s: real) -> real {
    var p = REAL_NEXT_32;
    p = p * s + REAL_NEXT_31;
    p = p * s + REAL_NEXT_30;
    p = p * s + REAL_NEXT_29;
    p = p * s + REAL_NEXT_28;
    p = p * s + REAL_NEXT_27;
    p = p * s + REAL_NEXT_26;
    p = p * s + REAL_NEXT_25;
    p = p * s + REAL_NEXT_24;
    p = p * s + REAL_NEXT_23;
    p = p * s + REAL_NEXT_22;
    p = p * s + REAL_NEXT_21;
    p = p * s + REAL_NEXT_20;
    p = p * s + REAL_NEXT_19;
    p = p * s + REAL_NEXT_18;
    p = p * s + REAL_NEXT_17;
    p = p * s + REAL_NEXT_16;
    p = p * s + REAL_NEXT_15;
    p = p * s + REAL_NEXT_14;
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
