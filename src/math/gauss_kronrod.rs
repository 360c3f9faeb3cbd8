//! Integrals over an interval by the pair of rules of Gauss and Kronrod. Panels are halved where
//! the two rules disagree.
//!
//! The error of a panel is the difference of the 15-point Kronrod rule (exact for polynomials of
//! degree 22) and the 7-point Gauss rule (degree 13), whose nodes it contains. The panel with the
//! largest difference is halved until the sum of all differences meets the tolerance (Piessens et
//! al. 1983, QUADPACK, algorithm QAG). The difference estimates the error of the smaller rule. The
//! value is therefore better than its error says.

/// Nodes of a panel.
pub const NODES: usize = 15;

/// The largest number of panels, 15 evaluations each: enough to halve fifty times towards one end
/// and to resolve what is there.
pub const MOST_PANELS: usize = 256;

/// The nonnegative nodes on `[-1, 1]`. Those of the 7-point rule stand at odd places.
const ABSCISSAS: [f64; 8] = [
    0.991_455_371_120_812_6,
    0.949_107_912_342_758_5,
    0.864_864_423_359_769_1,
    0.741_531_185_599_394_4,
    0.586_087_235_467_691_1,
    0.405_845_151_377_397_2,
    0.207_784_955_007_898_47,
    0.0,
];
const KRONROD: [f64; 8] = [
    0.022_935_322_010_529_225,
    0.063_092_092_629_978_55,
    0.104_790_010_322_250_18,
    0.140_653_259_715_525_92,
    0.169_004_726_639_267_9,
    0.190_350_578_064_785_4,
    0.204_432_940_075_298_9,
    0.209_482_141_084_727_83,
];
const GAUSS: [f64; 4] = [
    0.129_484_966_168_869_7,
    0.279_705_391_489_276_7,
    0.381_830_050_505_118_9,
    0.417_959_183_673_469_4,
];

/// An integral and an estimate of its error.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Integral {
    /// The value.
    pub value: f64,
    /// The sum of the differences of all panels: a bound on the error for all but wild functions.
    pub error: f64,
    /// The number of panels.
    pub panels: usize,
}

struct Panel {
    low: f64,
    high: f64,
    value: f64,
    error: f64,
}

impl Panel {
    fn new(f: &mut impl FnMut(&[f64; NODES]) -> [f64; NODES], low: f64, high: f64) -> Self {
        let center = 0.5 * low + 0.5 * high;
        let half = 0.5 * (high - low);
        let nodes = std::array::from_fn(|k| {
            if k < 7 { center - half * ABSCISSAS[k] } else { center + half * ABSCISSAS[14 - k] }
        });
        let values = f(&nodes);
        let mut kronrod = KRONROD[7] * values[7];
        let mut gauss = GAUSS[3] * values[7];
        for k in 0..7 {
            let pair = values[k] + values[14 - k];
            kronrod += KRONROD[k] * pair;
            if k % 2 == 1 {
                gauss += GAUSS[k / 2] * pair;
            }
        }
        Self { low, high, value: half * kronrod, error: half * (kronrod - gauss).abs() }
    }

    /// Whether each half of the panel would still have nodes of its own.
    fn can_be_halved(&self) -> bool {
        let center = 0.5 * self.low + 0.5 * self.high;
        let width = self.high - self.low;
        width > 64.0 * f64::EPSILON * center.abs() && width > f64::MIN_POSITIVE
    }
}

/// The integral of `f` from the first edge to the last. `f` takes the nodes of one panel at a time,
/// in rising order.
///
/// The first panels lie between neighboring edges. Put an edge wherever something is too narrow to
/// be seen otherwise. The halving ends if the estimated error is at most `relative` times the value
/// or at most `absolute`, whichever is larger, or after [`MOST_PANELS`] panels. The work is
/// therefore always bounded. Edges rise, and edges and their differences are finite. Fewer than two
/// edges give an integral of zero. If `f` is NaN, so is the integral.
///
/// ```
/// let integral = gittins::internals::gauss_kronrod::integrate(|x| x.map(f64::exp), &[0.0, 1.0], 1e-12, 0.0);
/// assert!((integral.value - 1f64.exp_m1()).abs() < 1e-14 && integral.panels == 1);
/// ```
pub fn integrate(
    mut f: impl FnMut(&[f64; NODES]) -> [f64; NODES],
    edges: &[f64],
    relative: f64,
    absolute: f64,
) -> Integral {
    let mut panels: Vec<Panel> =
        edges.windows(2).map(|edge| Panel::new(&mut f, edge[0], edge[1])).collect();
    loop {
        let value: f64 = panels.iter().map(|panel| panel.value).sum();
        let error: f64 = panels.iter().map(|panel| panel.error).sum();
        let done = error <= (relative * value.abs()).max(absolute)
            || !error.is_finite()
            || panels.len() + 1 > MOST_PANELS;
        let worst = (0..panels.len())
            .filter(|&i| panels[i].can_be_halved())
            .max_by(|&i, &j| panels[i].error.total_cmp(&panels[j].error));
        let Some(worst) = worst.filter(|_| !done) else {
            return Integral { value, error, panels: panels.len() };
        };
        let Panel { low, high, .. } = panels[worst];
        let center = 0.5 * low + 0.5 * high;
        panels[worst] = Panel::new(&mut f, low, center);
        panels.insert(worst + 1, Panel::new(&mut f, center, high));
    }
}
