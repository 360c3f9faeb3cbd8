// The acquisition functions by kind. src/acquisition/pointwise.rs defines the constants.
// #import acquisition/kinds
// #import acquisition/belief
// #import acquisition/improvement
// #import acquisition/confidence
// #import acquisition/per_cost
// #import acquisition/gittins
// #import acquisition/estimation
// #import acquisition/max_value_entropy

// The parameter and the variance factor of a setting:
//
//     upper confidence bound      sqrt(beta), 0
//     (log) improvement per cost  the exponent a, a^2/2 or -a^2/2
//     Gittins                     ln lambda, 1/2
//     estimated maximum           the noise, 0; the estimate stands in the incumbent's place
//     max-value entropy           the exponent a, a^2/2 or -a^2/2; one maximum stands in the
//                                 incumbent's place
//     others                      0, 0

// The value and the partial derivatives. Every field is finite if sd is at least 1e-6 and the
// absolute mean and incumbent are at most 1e15.
fn acquisition_score(kind: u32, setting: Setting, belief: Belief) -> Score {
    let incumbent = setting.incumbent;
    switch kind {
        case ACQUISITION_EXPECTED_IMPROVEMENT: {
            return improvement_expected(incumbent, belief.mean, belief.sd);
        }
        case ACQUISITION_LOG_EXPECTED_IMPROVEMENT: {
            return improvement_log_expected(incumbent, belief.mean, belief.sd);
        }
        case ACQUISITION_PROBABILITY_OF_IMPROVEMENT: {
            return improvement_probability(incumbent, belief.mean, belief.sd);
        }
        case ACQUISITION_LOG_PROBABILITY_OF_IMPROVEMENT: {
            return improvement_log_probability(incumbent, belief.mean, belief.sd);
        }
        case ACQUISITION_UPPER_CONFIDENCE_BOUND: {
            return confidence_upper_bound(setting.parameter, belief.mean, belief.sd);
        }
        case ACQUISITION_EXPECTED_IMPROVEMENT_PER_COST: {
            return per_cost_expected(improvement_expected(incumbent, belief.mean, belief.sd), setting, belief);
        }
        case ACQUISITION_LOG_EXPECTED_IMPROVEMENT_PER_COST: {
            return per_cost_log_expected(improvement_log_expected(incumbent, belief.mean, belief.sd), setting, belief);
        }
        case ACQUISITION_ESTIMATED_MAXIMUM: {
            return estimation_distance(incumbent, setting.parameter, belief.mean, belief.sd);
        }
        case ACQUISITION_MAX_VALUE_ENTROPY: {
            return per_cost_expected(max_value_entropy_gain(incumbent, belief.mean, belief.sd), setting, belief);
        }
        case ACQUISITION_GITTINS: {
            return gittins_index(setting, belief);
        }
        default: {
            // No other kind compiles: the host makes the constants and checks that each has a case.
            return Score(real(0.0), real(0.0), real(0.0), real(0.0), real(0.0));
        }
    }
}
