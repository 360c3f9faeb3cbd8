//! What is said while no trial holds all limits.

use crate::math::decimal::decimal;
use crate::study::region::Region;
use crate::study::trials::Trials;
use crate::surrogate::Surrogate;

/// The trial closest to feasibility, and the limits that it violates; none while some trial holds
/// them.
pub(super) fn words(
    trials: &Trials,
    surrogate: Option<&Surrogate>,
    region: Option<&Region>,
) -> Option<String> {
    let surrogate = surrogate.filter(|surrogate| !surrogate.has_incumbent())?;
    let observations = &trials.books.observations;
    let index = Region::index_of(region, surrogate.recommended());
    let observation = observations.get(index)?;
    let numbers = observations.measures().limits().zip(&observation.measured);
    let lacks: Vec<String> = numbers
        .filter(|((_, limit), number)| !limit.holds(**number))
        .map(|((name, limit), number)| match number.is_nan() {
            true => format!("{name} was not measured"),
            false => format!("{name} is {}, which must be {limit}", decimal(*number, 4)),
        })
        .collect();
    Some(match lacks.is_empty() {
        true => format!(
            "no trial holds all limits for sure; the nearest is {}",
            trials.books.told[index]
        ),
        false => format!(
            "no trial holds all limits; the nearest is {}: {}",
            trials.books.told[index],
            lacks.join(", ")
        ),
    })
}
