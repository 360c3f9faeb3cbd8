// Improvements and indices while other trials are under way, as in src/acquisition/pending_trials.rs.
//
// The standard deviation of a point is the same in all fantasies. In each the mean is moved by a
// shift, and there is a best pending value. In units of the deviation and from the mean these are
// mu and beta, and
//
//     F(gamma) = (1/M) sum [(1 - e) h(mu - max(gamma, beta)) + e h(mu - gamma)]
//
// All terms are made as multiples of exp(-top^2/2), where `top` is the largest argument of a sum if
// that is negative, and 0 otherwise. So the largest term never underflows, and
// ln F = ln sum - top^2/2.
// #import math/normal
// #import math/saturated
// #import acquisition/kinds
// #import acquisition/per_cost
// #import layout

// 1/M.
const_assert FANTASIES == 32u;
const UNDER_WAY_SHARE: real = 0.03125;

const UNDER_WAY_SQRT_2PI: real = 2.5066282746310002;

// The largest number of steps to a root.
const UNDER_WAY_STEPS: u32 = 128u;

// A point. A score leaves as parts what each fantasy adds to the derivative by the mean, in common
// units.
struct Pending {
    mu: array<real, FANTASIES>,
    beta: array<real, FANTASIES>,
    parts: array<real, FANTASIES>,
    mean: real,
    sd: real,
    // e, the chance that the pending trials bring nothing.
    missing: real,
    // The largest mu.
    largest: real,
}

// h, Phi and phi as multiples of exp(-top^2/2).
struct PendingTerm { h: real, probability: real, density: real }

// The sums of a value and of its derivatives by the mean and by the deviation, and its fall with
// gamma.
struct PendingSums { value: real, mean: real, density: real, fall: real }

// The mean of mu, and the deviation of a normal number around a random mu.
struct PendingShape { middle: real, spread: real }

fn pending_within(x: real) -> real {
    return clamp(x, -REAL_FARTHEST, REAL_FARTHEST);
}

// Before its fantasies are set.
fn pending_of(mean: real, sd: real, missing: real) -> Pending {
    var trial: Pending;
    trial.mean = mean;
    trial.sd = sd;
    trial.missing = missing;
    trial.largest = -REAL_FARTHEST;
    return trial;
}

fn pending_set(trial: ptr<function, Pending>, k: u32, shift: real, best: real) {
    let mu = pending_within(shift / (*trial).sd);
    (*trial).mu[k] = mu;
    (*trial).largest = max((*trial).largest, mu);
    (*trial).beta[k] = pending_within((best - (*trial).mean) / (*trial).sd);
}

fn pending_shape(trial: ptr<function, Pending>) -> PendingShape {
    var sum = real(0.0);
    var squares = real(0.0);
    for (var k = 0u; k < FANTASIES; k++) {
        let mu = (*trial).mu[k];
        sum += mu;
        squares += mu * mu;
    }
    let share = UNDER_WAY_SHARE;
    let middle = share * sum;
    return PendingShape(middle, sqrt(1.0 + max(share * squares - middle * middle, 0.0)));
}

// A gamma with its top.
struct PendingPlace { gamma: real, top: real }

fn pending_place(trial: ptr<function, Pending>, gamma: real) -> PendingPlace {
    return PendingPlace(gamma, min(pending_within((*trial).largest - gamma), 0.0));
}

// For u <= top, or any u if top is 0.
fn pending_term(u: real, top: real) -> PendingTerm {
    let m = real_tail(abs(u));
    let r = abs(u) + m;
    let density = NORMAL_FRAC_1_SQRT_2PI * real_exp_nonpositive(0.5 * (top - u) * (top + u));
    let beyond = density / r;
    return PendingTerm(max(u, 0.0) + beyond * m, select(beyond, 1.0 - beyond, u > 0.0), density);
}

// exp(-top^2/2).
fn pending_scale(top: real) -> real {
    return UNDER_WAY_SQRT_2PI * normal_pdf(top);
}

// F and its derivatives, with parts if they are to be kept.
fn pending_sums(trial: ptr<function, Pending>, at: PendingPlace, keep: bool) -> PendingSums {
    let share = UNDER_WAY_SHARE;
    let e = share * (*trial).missing;
    let rest = share * (1.0 - (*trial).missing);
    var sums = PendingSums(0.0, 0.0, 0.0, 0.0);
    for (var k = 0u; k < FANTASIES; k++) {
        let mu = (*trial).mu[k];
        let beta = (*trial).beta[k];
        let bound = beta > at.gamma;
        let free = pending_term(pending_within(mu - at.gamma), at.top);
        var bought = free;
        if (bound) {
            bought = pending_term(pending_within(mu - beta), at.top);
        }
        let own = rest * bought.probability + e * free.probability;
        sums.value += rest * bought.h + e * free.h;
        sums.mean += own;
        sums.density += rest * bought.density + e * free.density;
        sums.fall += select(share, e, bound) * free.probability;
        if (keep) {
            (*trial).parts[k] = own;
        }
    }
    return sums;
}

// The same with Phi in place of h; the derivative by the deviation is that of Phi(u), -u phi(u).
fn pending_probabilities(trial: ptr<function, Pending>, at: PendingPlace) -> PendingSums {
    let share = UNDER_WAY_SHARE;
    let e = share * (*trial).missing;
    let rest = share * (1.0 - (*trial).missing);
    var sums = PendingSums(0.0, 0.0, 0.0, 0.0);
    for (var k = 0u; k < FANTASIES; k++) {
        let mu = (*trial).mu[k];
        let above = pending_within(mu - at.gamma);
        let over = pending_within(mu - max(at.gamma, (*trial).beta[k]));
        let free = pending_term(above, at.top);
        let bought = pending_term(over, at.top);
        let own = rest * bought.density + e * free.density;
        sums.value += rest * bought.probability + e * free.probability;
        sums.mean += own;
        sums.density -= rest * bought.density * over + e * free.density * above;
        (*trial).parts[k] = own;
    }
    return sums;
}

fn pending_expected(trial: ptr<function, Pending>, incumbent: real) -> Score {
    let at = pending_place(trial, pending_within((incumbent - (*trial).mean) / (*trial).sd));
    let sums = pending_sums(trial, at, true);
    let scale = pending_scale(at.top);
    return Score((*trial).sd * (sums.value * scale), sums.mean * scale, sums.density * scale, 0.0, 0.0);
}

fn pending_log_expected(trial: ptr<function, Pending>, incumbent: real) -> Score {
    let at = pending_place(trial, pending_within((incumbent - (*trial).mean) / (*trial).sd));
    let sums = pending_sums(trial, at, true);
    let value = real_log(sums.value) - 0.5 * at.top * at.top + real_log((*trial).sd);
    return Score(max(value, REAL_LOG_ZERO), sums.mean / sums.value / (*trial).sd, sums.density / sums.value / (*trial).sd, 0.0, 0.0);
}

fn pending_probability(trial: ptr<function, Pending>, incumbent: real) -> Score {
    let at = pending_place(trial, pending_within((incumbent - (*trial).mean) / (*trial).sd));
    let sums = pending_probabilities(trial, at);
    let scale = pending_scale(at.top);
    return Score(sums.value * scale, sums.mean * scale / (*trial).sd, sums.density * scale / (*trial).sd, 0.0, 0.0);
}

fn pending_log_probability(trial: ptr<function, Pending>, incumbent: real) -> Score {
    let at = pending_place(trial, pending_within((incumbent - (*trial).mean) / (*trial).sd));
    let sums = pending_probabilities(trial, at);
    let value = real_log(sums.value) - 0.5 * at.top * at.top;
    return Score(max(value, REAL_LOG_ZERO), sums.mean / sums.value / (*trial).sd, sums.density / sums.value / (*trial).sd, 0.0, 0.0);
}

// Whether a pending value lies between two places.
fn pending_kinked(trial: ptr<function, Pending>, a: real, b: real) -> bool {
    var kinked = false;
    for (var k = 0u; k < FANTASIES; k++) {
        let beta = (*trial).beta[k];
        kinked = kinked || (min(a, b) <= beta && beta <= max(a, b));
    }
    return kinked;
}

// The root u of h(u) = kappa from ln kappa.
fn pending_inverse(log_kappa: real) -> real {
    return normal_inverse_log_h(log_kappa, real_exp(log_kappa));
}

// The root of ln F(gamma) = ln kappa: Newton's steps on the logarithm, and bisection where a step
// leaves the bracket e h(middle - gamma) <= F(gamma) <= h(largest - gamma).
fn pending_root(trial: ptr<function, Pending>, log_kappa: real) -> real {
    let shape = pending_shape(trial);
    var low = shape.middle - pending_inverse(log_kappa - real_log((*trial).missing));
    var high = (*trial).largest - pending_inverse(log_kappa);
    // Rounded bounds may miss the root.
    low -= 16.0 * REAL_EPS * max(abs(low), 1.0);
    high += 16.0 * REAL_EPS * max(abs(high), 1.0);
    // The root without pending values, with the deviation of all fantasies together.
    var gamma = clamp(shape.middle - shape.spread * pending_inverse(log_kappa - real_log(shape.spread)), low, high);
    for (var step = 0u; step < UNDER_WAY_STEPS; step++) {
        let at = pending_place(trial, gamma);
        let sums = pending_sums(trial, at, false);
        let residual = real_log(sums.value) - (log_kappa + 0.5 * at.top * at.top);
        if (residual >= 0.0) {
            low = max(low, gamma);
        } else {
            high = min(high, gamma);
        }
        let newton = gamma + residual * (sums.value / sums.fall);
        let inside = low <= newton && newton <= high;
        let next = select(0.5 * (low + high), newton, inside);
        let moved = abs(next - gamma);
        // The error after one of Newton's steps is of the order of its square, unless it crossed a
        // kink.
        var done = moved <= 4.0 * REAL_EPS * max(abs(next), 1.0);
        // Where F hardly falls, what rounding leaves of the residual moves gamma farther than that.
        done = done || abs(residual) <= 4.0 * REAL_EPS * (1.0 + abs(log_kappa) + 0.5 * at.top * at.top);
        if (!done && inside && moved * moved <= REAL_EPS) {
            done = !pending_kinked(trial, gamma, next);
        }
        gamma = next;
        if (done) {
            break;
        }
    }
    return gamma;
}

// By implicit differentiation dg/dm_k = A_k/D, dg/dsd = S/D and dg/dln c = -sd F/D.
fn pending_index(trial: ptr<function, Pending>, setting: Setting, belief: Belief) -> Score {
    let log_price = setting.parameter + belief.log_cost + setting.variance_factor * belief.log_cost_variance;
    let log_kappa = log_price - real_log((*trial).sd);
    // Beyond it all pending values exceed the index, and the price is paid from the rest.
    let far = log_kappa > real_log(REAL_FARTHEST) - 5.0;
    var gamma = -REAL_FARTHEST;
    if (!far) {
        gamma = pending_root(trial, log_kappa);
    }
    let sums = pending_sums(trial, pending_place(trial, gamma), true);
    var worth = -(*trial).sd * gamma;
    var d_log_cost = -(*trial).sd * (sums.value / sums.fall);
    if (far) {
        worth = saturated_quotient(real_exp(log_price), (*trial).missing);
        d_log_cost = -worth;
    }
    return Score((*trial).mean - worth, sums.mean / sums.fall, sums.density / sums.fall, d_log_cost, setting.variance_factor * d_log_cost);
}

fn pending_score(kind: u32, trial: ptr<function, Pending>, setting: Setting, belief: Belief) -> Score {
    let incumbent = setting.incumbent;
    switch kind {
        case ACQUISITION_EXPECTED_IMPROVEMENT: {
            return pending_expected(trial, incumbent);
        }
        case ACQUISITION_LOG_EXPECTED_IMPROVEMENT: {
            return pending_log_expected(trial, incumbent);
        }
        case ACQUISITION_PROBABILITY_OF_IMPROVEMENT: {
            return pending_probability(trial, incumbent);
        }
        case ACQUISITION_LOG_PROBABILITY_OF_IMPROVEMENT: {
            return pending_log_probability(trial, incumbent);
        }
        case ACQUISITION_EXPECTED_IMPROVEMENT_PER_COST: {
            return per_cost_expected(pending_expected(trial, incumbent), setting, belief);
        }
        case ACQUISITION_LOG_EXPECTED_IMPROVEMENT_PER_COST: {
            return per_cost_log_expected(pending_log_expected(trial, incumbent), setting, belief);
        }
        case ACQUISITION_GITTINS: {
            return pending_index(trial, setting, belief);
        }
        default: {
            // The host asks for no other kind.
            return Score(0.0, 0.0, 0.0, 0.0, 0.0);
        }
    }
}
