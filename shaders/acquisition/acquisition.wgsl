// The acquisition functions by number, in the order of the variants in src/acquisition/mod.rs.
// #import acquisition/belief
// #import acquisition/improvement
// #import acquisition/confidence
// #import acquisition/per_cost
// #import acquisition/gittins
// #import acquisition/estimation
// #import acquisition/max_value_entropy

const ACQUISITION_EXPECTED_IMPROVEMENT: u32 = 0u;
const ACQUISITION_LOG_EXPECTED_IMPROVEMENT: u32 = 1u;
const ACQUISITION_PROBABILITY_OF_IMPROVEMENT: u32 = 2u;
const ACQUISITION_LOG_PROBABILITY_OF_IMPROVEMENT: u32 = 3u;
// The parameter is sqrt(beta).
const ACQUISITION_UPPER_CONFIDENCE_BOUND: u32 = 4u;
// The parameter is the exponent a, the variance factor a^2/2 or -a^2/2.
const ACQUISITION_EXPECTED_IMPROVEMENT_PER_COST: u32 = 5u;
const ACQUISITION_LOG_EXPECTED_IMPROVEMENT_PER_COST: u32 = 6u;
// The parameter is ln lambda, the variance factor 1/2.
const ACQUISITION_GITTINS: u32 = 7u;
// The estimate stands in the incumbent's place, and the parameter is the noise.
const ACQUISITION_ESTIMATED_MAXIMUM: u32 = 8u;
// One maximum stands in the incumbent's place, the parameter is the exponent a, the variance factor
// a^2/2 or -a^2/2.
const ACQUISITION_MAX_VALUE_ENTROPY: u32 = 9u;

// Value and partial derivatives; every field is finite for sd > 0 that is no smaller than 1e-6 and
// a mean and an incumbent of up to 1e15.
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
        default: {
            return gittins_index(setting, belief);
        }
    }
}
