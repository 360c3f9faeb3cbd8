// Kernels as functions of the squared distance of coordinates, as in src/model/kernel.rs.
// #import math/real
// #import math/pair
// #import model/families

// R(r), with what rounding took from it, and -R'(r)/r. A mean is a sum of kernel values with large
// weights of either sign, which shows that rest.
struct KernelUnit { value: Pair, slope: real }

// Coordinates of a point of `dim` inputs. A point on the sphere has one more, taken from the north
// pole: p = c (u, -1) with u = (x - 1/2) / l and c = 2 / (1 + |u|^2).
fn kernel_width(family: u32, dim: u32) -> u32 {
    return select(dim, dim + 1u, family == KERNEL_SPHERICAL_LINEAR);
}

// What a datum x adds to p' g, for the gradient g = sum_i w_i (p - x_i) by a point p of the sphere:
// p' (p - x) from the squared distance and the difference of the last coordinates. The gradient by
// u_k is then c g_k - p_k p' g.
fn kernel_along(squared: real, last: real) -> real {
    return 0.5 * squared - last;
}

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
        case KERNEL_SPHERICAL_LINEAR: {
            return KernelUnit(pair_add(one, Pair(-0.5 * squared, 0.0)), real(1.0));
        }
        default: {}
    }
    // Not reached: the host has checked that each family has a case.
    return KernelUnit(Pair(0.0, 0.0), 0.0);
}
