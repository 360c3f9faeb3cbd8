//! What a batch takes at least on a device of given peak rates: for each pass the larger of the
//! times for its arithmetic and for its bytes, and a launch.

use gittins::backend::Precision;

/// Rows and columns of a tile of a product; every matrix is padded to it.
const TILE: usize = 64;

/// Dimensions that one workgroup of the gradient takes. Each such group reads slopes and weights
/// again.
const GROUP: usize = 8;

/// Instructions of a kernel value and its slope as sums of two numbers, about, with division and
/// root at a few each.
const KERNEL: f64 = 200.0;

/// Instructions of a score, about: moments, and the root of the index.
const SCORE: f64 = 500.0;

/// A device on paper.
pub struct Machine {
    /// What it is called.
    pub name: String,
    /// Multiplications and additions a second in 32-bit floats.
    pub single: f64,
    /// The same in 64-bit floats, if it has them.
    pub double: Option<f64>,
    /// Bytes a second of its memory.
    pub bandwidth: f64,
    /// Bytes a second between the host's memory and its own.
    pub link: f64,
    /// Seconds to start a pass.
    pub launch: f64,
    /// Seconds of a submission, until the host goes on.
    pub submission: f64,
}

/// A batch.
#[derive(Clone, Copy)]
pub struct Case {
    /// Parameters.
    pub d: usize,
    /// Observations.
    pub n: usize,
    /// Points.
    pub q: usize,
}

/// Work of a pass.
pub struct Pass {
    /// What it makes.
    pub name: &'static str,
    /// Two for each instruction, since peaks count a fused multiplication and addition as two.
    pub operations: f64,
    /// Each matrix is read and written once, but for the gradient (see `GROUP`).
    pub bytes: f64,
}

/// What a pass mostly waits for.
#[derive(Clone, Copy, PartialEq)]
pub enum Bound {
    /// Arithmetic.
    Arithmetic,
    /// Memory.
    Memory,
    /// Its launch.
    Launch,
}

impl Bound {
    /// One letter.
    pub fn letter(self) -> char {
        match self {
            Self::Arithmetic => 'a',
            Self::Memory => 'm',
            Self::Launch => 'l',
        }
    }
}

/// Bytes of a number.
fn width(precision: Precision) -> f64 {
    match precision {
        Precision::F32 => 4.0,
        Precision::F64 => 8.0,
    }
}

impl Case {
    /// The passes of a chunk in order: three without gradients, five with them.
    pub fn passes(self, precision: Precision, gradient: bool) -> Vec<Pass> {
        let w = width(precision);
        let (d, q) = (self.d as f64, self.q.next_multiple_of(TILE) as f64);
        let rows = self.n.next_multiple_of(TILE) as f64;
        let matrix = w * rows * q;
        let factor = w * rows * (rows + TILE as f64) / 2.0;
        let groups = self.d.div_ceil(GROUP) as f64;
        let pass =
            |name, instructions: f64, bytes| Pass { name, operations: 2.0 * instructions, bytes };
        // The blocks on and below the diagonal.
        let product = rows * (rows + TILE as f64) / 2.0 * q;
        // Slopes and V itself are kept for the gradient only.
        let kept = if gradient { 2.0 } else { 1.0 };
        let sums = 3.0 * rows / TILE as f64;
        let mut passes = vec![
            // A difference and its square for each coordinate.
            pass("kernel", rows * q * (2.0 * d + KERNEL), kept * matrix),
            pass("V", product, kept * matrix + factor),
            pass("score", q * (SCORE + sums), w * q * sums),
        ];
        if gradient {
            passes.push(pass("W", product, 2.0 * matrix + factor));
            // Three for the weight of a datum, two for a coordinate.
            let instructions = rows * q * (2.0 * d + 3.0 * groups);
            passes.push(pass("gradient", instructions, 2.0 * groups * matrix));
        }
        passes
    }

    /// Bytes that go to the device, and come back: three numbers a point, and the gradient.
    fn transferred(self, precision: Precision, gradient: bool) -> f64 {
        let back = 3 + if gradient { self.d } else { 0 };
        width(precision) * (self.q * (self.d + back)) as f64
    }
}

impl Machine {
    /// Operations a second, if it has the precision.
    pub fn rate(&self, precision: Precision) -> Option<f64> {
        match precision {
            Precision::F32 => Some(self.single),
            Precision::F64 => self.double,
        }
    }

    /// Seconds of a pass at a rate of arithmetic, and what they are mostly.
    pub fn seconds(&self, pass: &Pass, rate: f64) -> (f64, Bound) {
        let (arithmetic, memory) = (pass.operations / rate, pass.bytes / self.bandwidth);
        let (longer, bound) = if arithmetic > memory {
            (arithmetic, Bound::Arithmetic)
        } else {
            (memory, Bound::Memory)
        };
        (self.launch + longer, if self.launch > longer { Bound::Launch } else { bound })
    }

    /// Seconds of values alone, and with gradients; `None` if it lacks the precision.
    pub fn totals(&self, case: Case, precision: Precision) -> Option<[f64; 2]> {
        let rate = self.rate(precision)?;
        Some([false, true].map(|gradient| {
            let passes = case.passes(precision, gradient);
            let computed: f64 = passes.iter().map(|pass| self.seconds(pass, rate).0).sum();
            self.submission + computed + case.transferred(precision, gradient) / self.link
        }))
    }
}
