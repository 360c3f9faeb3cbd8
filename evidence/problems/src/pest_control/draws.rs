//! The random numbers of the published pest control benchmark: the part of `NumPy`'s legacy generator
//! that it needs.
//!
//! The benchmark seeds with 1 before each draw of 100 beta variables, so a vector follows from its
//! two shapes alone. The generator is the Mersenne Twister MT19937 (Matsumoto and Nishimura 1998).
//! Uniform numbers have 53 bits. Normal ones come by the polar method, gamma ones by Marsaglia and
//! Tsang (2000). Beta ones come by Jöhnk (1964) if both shapes are at most 1, otherwise as a ratio
//! of gamma variables.

use libm::{log, pow, sqrt};

/// The number of simulations that run side by side.
pub const SIMULATIONS: usize = 100;

/// One number for each simulation.
pub type Draw = [f64; SIMULATIONS];

/// A draw from Beta(a, b) by the generator just seeded with 1.
pub fn beta(a: f64, b: f64) -> Draw {
    let mut generator = Legacy::new(1);
    std::array::from_fn(|_| generator.beta(a, b))
}

const WORDS: usize = 624;

/// MT19937 with the second normal of a polar pair.
struct Legacy {
    words: [u32; WORDS],
    next: usize,
    spare_normal: Option<f64>,
}

impl Legacy {
    fn new(seed: u32) -> Self {
        let mut words = [seed; WORDS];
        for i in 1..WORDS {
            let last = words[i - 1];
            words[i] = 1_812_433_253_u32.wrapping_mul(last ^ (last >> 30)).wrapping_add(i as u32);
        }
        Self { words, next: WORDS, spare_normal: None }
    }

    fn word(&mut self) -> u32 {
        if self.next == WORDS {
            for i in 0..WORDS {
                let joined =
                    (self.words[i] & 0x8000_0000) | (self.words[(i + 1) % WORDS] & 0x7fff_ffff);
                let twist = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
                self.words[i] = self.words[(i + 397) % WORDS] ^ (joined >> 1) ^ twist;
            }
            self.next = 0;
        }
        let mut word = self.words[self.next];
        self.next += 1;
        word ^= word >> 11;
        word ^= (word << 7) & 0x9d2c_5680;
        word ^= (word << 15) & 0xefc6_0000;
        word ^ (word >> 18)
    }

    /// In `[0, 1)`: the upper 27 bits of a word and the upper 26 of the next.
    fn uniform(&mut self) -> f64 {
        let high = self.word() >> 5;
        let low = self.word() >> 6;
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    fn normal(&mut self) -> f64 {
        if let Some(normal) = self.spare_normal.take() {
            return normal;
        }
        loop {
            let x = 2.0 * self.uniform() - 1.0;
            let y = 2.0 * self.uniform() - 1.0;
            let square = x * x + y * y;
            if square < 1.0 && square != 0.0 {
                let factor = sqrt(-2.0 * log(square) / square);
                self.spare_normal = Some(factor * x);
                return factor * y;
            }
        }
    }

    /// For a shape of at least 1.
    fn gamma(&mut self, shape: f64) -> f64 {
        if shape == 1.0 {
            return -log(1.0 - self.uniform());
        }
        let b = shape - 1.0 / 3.0;
        let c = 1.0 / sqrt(9.0 * b);
        loop {
            let x = self.normal();
            let root = 1.0 + c * x;
            if root <= 0.0 {
                continue;
            }
            let v = root * root * root;
            let u = self.uniform();
            if u < 1.0 - 0.0331 * (x * x) * (x * x) || log(u) < 0.5 * x * x + b * (1.0 - v + log(v))
            {
                return b * v;
            }
        }
    }

    fn beta(&mut self, a: f64, b: f64) -> f64 {
        if a > 1.0 || b > 1.0 {
            let first = self.gamma(a);
            let second = self.gamma(b);
            return first / (first + second);
        }
        loop {
            let first = pow(self.uniform(), 1.0 / a);
            let second = pow(self.uniform(), 1.0 / b);
            let sum = first + second;
            if sum <= 1.0 && sum > 0.0 {
                return first / sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Legacy, beta};

    /// Draws 0, 57 and 99 of `NumPy` 2.4.6 (`numpy.random.seed(1)`, `numpy.random.beta(a, b, 100)`).
    /// Powers and logarithms of two libraries differ by a unit in the last place, and a draw takes
    /// some four of them.
    #[test]
    fn draws_are_those_of_numpy() {
        for (a, b, expected) in [
            (1.0, 30.0, [0.020715784541747353, 0.00046011891988285714, 0.026155665976284458]),
            (1.0, 17.0 / 3.0, [0.12766853217121507, 0.038596296123407446, 0.13224402583138622]),
            (1.0, 2.0 / 7.0, [0.5679693451838285, 0.9999996037141945, 0.9570636899361814]),
            (
                1.0,
                0.7828571428571437,
                [0.0005268847859460873, 0.24400031771685676, 0.46896198313930654],
            ),
            (2.5, 1.7, [0.878207952683687, 0.5219232384748549, 0.5695744394382942]),
        ] {
            let got = beta(a, b);
            for (i, expected) in [0, 57, 99].into_iter().zip(expected) {
                assert!(
                    (got[i] - expected).abs() <= 4.0 * f64::EPSILON * expected,
                    "Beta({a}, {b}) {i}: {} instead of {expected}",
                    got[i]
                );
            }
        }
    }

    /// The 400th number needs words of the generator's second round.
    #[test]
    fn uniform_numbers_are_those_of_numpy() {
        let mut generator = Legacy::new(1);
        let numbers: Vec<f64> = (0..400).map(|_| generator.uniform()).collect();
        assert_eq!((numbers[0], numbers[399]), (0.417022004702574, 0.5409518049621886));
    }
}
