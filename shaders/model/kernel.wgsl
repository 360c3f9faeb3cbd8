// Stationary kernels as functions of the squared scaled distance, as in src/model/kernel.rs.
// #import math/real

const KERNEL_MATERN12: u32 = 0u;
const KERNEL_MATERN32: u32 = 1u;
const KERNEL_MATERN52: u32 = 2u;
const KERNEL_RBF: u32 = 3u;

const KERNEL_FIVE_THIRDS: real = 1.6666666666666667;

// (R(r), -R'(r)/r) from r^2. At r = 0 the slope of Matern-1/2 does not exist; it is zero, the mean of its one-sided limits.
fn kernel_unit(family: u32, squared: real) -> vec2<real> {
    switch family {
        case KERNEL_MATERN12: {
            let r = sqrt(squared);
            let e = real_exp_nonpositive(-r);
            return vec2<real>(e, select(0.0, e / max(r, REAL_MIN), r > 0.0));
        }
        case KERNEL_MATERN32: {
            let a = sqrt(3.0 * squared);
            let e = real_exp_nonpositive(-a);
            return vec2<real>(a * e + e, 3.0 * e);
        }
        case KERNEL_MATERN52: {
            let a = sqrt(5.0 * squared);
            let e = real_exp_nonpositive(-a);
            let slope = a * e + e;
            return vec2<real>(squared * KERNEL_FIVE_THIRDS * e + slope, slope * KERNEL_FIVE_THIRDS);
        }
        default: {
            let e = real_exp_nonpositive(-0.5 * squared);
            return vec2<real>(e, e);
        }
    }
}
