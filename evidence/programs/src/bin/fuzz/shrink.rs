//! A shorter sequence that breaks the same.

use std::time::{Duration, Instant};

/// Leaves out parts of a sequence, halves first and then smaller ones, as long as what is left
/// still `breaks` and there is time.
pub fn shrink<T: Clone>(calls: &[T], time: Duration, breaks: impl Fn(&[T]) -> bool) -> Vec<T> {
    let began = Instant::now();
    let mut left = calls.to_vec();
    let mut part = left.len().div_ceil(2);
    while part > 0 {
        let mut at = 0;
        while at < left.len() && began.elapsed() < time {
            let shorter: Vec<T> = left
                .iter()
                .enumerate()
                .filter(|(index, _)| !(at..at + part).contains(index))
                .map(|(_, call)| call.clone())
                .collect();
            if breaks(&shorter) { left = shorter } else { at += part }
        }
        part /= 2;
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_matter_is_left_out() {
        let calls: Vec<usize> = (0..40).collect();
        let both = |calls: &[usize]| calls.contains(&7) && calls.contains(&31);
        assert_eq!(shrink(&calls, Duration::from_secs(60), both), [7, 31]);
        // Without time nothing is lost.
        assert_eq!(shrink(&calls, Duration::ZERO, both), calls);
    }
}
