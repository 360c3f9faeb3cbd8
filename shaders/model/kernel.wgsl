// Stationary kernels as functions of the squared scaled distance, as in src/model/kernel.rs.
// #import math/real
// #import math/pair
// #import model/families

// R(r), with what rounding took from it, and -R'(r)/r. A mean is a sum of kernel values with large
// weights of either sign, which shows that rest.
struct KernelUnit { value: Pair, slope: real }

// From r^2. At r = 0 the slope of Matern-1/2 does not exist; it is zero, the mean of its one-sided
// limits.
fn kernel_unit(family: u32, squared: real) -> KernelUnit {
    let one = Pair(real(1.0), real(0.0));
    switch family {
        case KERNEL_MATERN12: {
            let r = pair_sqrt(Pair(squared, 0.0));
            let e = pair_exp_nonpositive(Pair(-r.high, -r.low));
            return KernelUnit(e, select(0.0, e.high / max(r.high, REAL_MIN), r.high > 0.0));
        }
        case KERNEL_MATERN32: {
            let a = pair_sqrt(pair_product(3.0, squared));
            let e = pair_exp_nonpositive(Pair(-a.high, -a.low));
            return KernelUnit(pair_times(pair_add(one, a), e), 3.0 * e.high);
        }
        case KERNEL_MATERN52: {
            let five = pair_product(5.0, squared);
            let a = pair_sqrt(five);
            let e = pair_exp_nonpositive(Pair(-a.high, -a.low));
            let sum = pair_add(one, a);
            return KernelUnit(pair_times(pair_add(sum, pair_quotient(five, 3.0)), e), sum.high * e.high * 5.0 / 3.0);
        }
        case KERNEL_RBF: {
            let e = pair_exp_nonpositive(Pair(-0.5 * squared, 0.0));
            return KernelUnit(e, e.high);
        }
        default: {}
    }
    // Not reached: the host has checked that each family has a case.
    return KernelUnit(Pair(0.0, 0.0), 0.0);
}
