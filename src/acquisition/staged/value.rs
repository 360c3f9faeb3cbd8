//! The value of going on, as a function of how much better the run is expected to be than the
//! incumbent.

use std::f64::consts::PI;
use std::sync::LazyLock;

use super::stage::Stage;
use crate::math::gauss_legendre::GaussLegendre;
use crate::math::normal::{FRAC_1_SQRT_2PI, cdf};

/// Chebyshev nodes of a panel, and nodes of a quadrature between them.
const NODES: usize = 24;

/// The nodes of a panel are nodes of a quadrature too if the panel is no longer than this many
/// deviations of what is integrated.
const DIRECT: f64 = 7.0;

/// No more panels than this are made for that.
const PANELS: usize = 8;

/// Beyond this many deviations past the last kink a value is linear to `1e-15` of a deviation:
/// `h(-7.5)`.
const LINEAR: f64 = 7.5;

/// Quadrature leaves out what is farther than this many deviations: `1 - Phi(8) = 6e-16`.
const TAIL: f64 = 8.0;

/// A panel is at least this much longer than all before it together, so that there are few.
const GROWTH: f64 = 0.5;

/// A Chebyshev point of the second kind in the interval from -1 to 1.
struct Node {
    x: f64,
    /// Its weight in the barycentric formula.
    barycentric: f64,
    /// Its weight in the quadrature of Clenshaw and Curtis.
    weight: f64,
}

static CHEBYSHEV: LazyLock<[Node; NODES]> = LazyLock::new(|| {
    let last = NODES - 1;
    std::array::from_fn(|i| {
        let angle = PI * i as f64 / last as f64;
        let end = i == 0 || i == last;
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        let cosines = (1..=last / 2).map(|j| {
            let even = 2 * j;
            let share = if even == last { 1.0 } else { 2.0 };
            share * (even as f64 * angle).cos() / (even as f64 * even as f64 - 1.0)
        });
        let share = if end { 1.0 } else { 2.0 };
        Node {
            x: -angle.cos(),
            barycentric: if end { 0.5 * sign } else { sign },
            weight: share * (1.0 - cosines.sum::<f64>()) / last as f64,
        }
    })
});

static QUADRATURE: LazyLock<GaussLegendre> = LazyLock::new(|| GaussLegendre::new(NODES));

/// Newton's method is near its root after a handful of steps.
const STEPS: usize = 50;

/// Which field of a node is the derivative of the value by `u`. The value itself comes first.
pub(super) const SLOPE: usize = 1;

/// The number of fields besides derivatives by stages.
const OWN: usize = 2;

/// The fields that are derivatives by the price, the deviation and the survival of the stage `k` of
/// this many, the first being 0. Later stages come first.
pub(super) fn later_fields(k: usize, stages: usize) -> std::ops::Range<usize> {
    let first = OWN + 3 * (stages - 1 - k);
    first..first + 3
}

/// A value `V(u)`: zero left of its root, kept at Chebyshev nodes of panels right of it, and linear
/// after the last panel. So are its derivatives.
#[derive(Debug)]
pub(super) struct Value {
    root: f64,
    /// The largest root of this value and those after it.
    last_kink: f64,
    /// The ends of the panels, the first being the root.
    ends: Vec<f64>,
    /// Fields of nodes of panels.
    table: Vec<f64>,
    /// Slope and intercept of each field after the last panel.
    far: Vec<[f64; 2]>,
    /// Whether derivatives by stages are kept.
    slopes: bool,
}

impl Value {
    /// After the last stage: `max(0, u)`.
    pub fn end(slopes: bool) -> Self {
        Self {
            root: 0.0,
            last_kink: 0.0,
            ends: vec![0.0],
            table: Vec::new(),
            far: vec![[1.0, 0.0], [0.0, 1.0]],
            slopes,
        }
    }

    /// The value before a stage. `start` is not left of its root, `rest` the deviation of all that
    /// this stage and the later ones tell, and `earlier` that of the stage before this one.
    pub fn before(&self, stage: &Stage, start: f64, rest: f64, earlier: f64) -> Self {
        let root = self.root(stage, start);
        let last_kink = root.max(self.last_kink);
        let ends = self.ends_before(stage, root, rest, earlier);
        let mut table = Vec::new();
        for panel in ends.windows(2) {
            for Node { x, .. } in &*CHEBYSHEV {
                let u = 0.5 * (panel[0] + panel[1]) + 0.5 * (panel[1] - panel[0]) * x;
                table.extend(self.expectations(stage, u));
            }
        }
        Self { root, last_kink, ends, table, far: self.far_before(stage), slopes: self.slopes }
    }

    /// The ends of the panels of the value before a stage.
    fn ends_before(&self, stage: &Stage, root: f64, rest: f64, earlier: f64) -> Vec<f64> {
        let end = self.last_kink + LINEAR * rest;
        if end <= root {
            return vec![root];
        }
        // The kink of this value is smoothed over some deviations of the stage, on both sides; its own
        // panels end where it changes more slowly.
        let kink = self.root + LINEAR * stage.sd;
        let mut inner = [&[self.root, kink], &self.ends[1..]].concat();
        inner.sort_by(f64::total_cmp);
        let mut ends = vec![root];
        for place in inner {
            let last = ends[ends.len() - 1];
            let grows = place - last > (GROWTH * (last - root)).max(0.0);
            if grows && end - place > GROWTH * (place - root) {
                ends.push(place);
            }
        }
        ends.push(end);
        // Panels that are short for the earlier stage need no interpolation.
        let parts = |panel: &[f64]| ((panel[1] - panel[0]) / (DIRECT * earlier)).ceil().max(1.0);
        if ends.windows(2).map(parts).sum::<f64>() > PANELS as f64 {
            return ends;
        }
        let halved = ends.windows(2).flat_map(|panel| {
            let count = parts(panel);
            let length = panel[1] - panel[0];
            (1..=count as usize).map(move |part| panel[0] + length * part as f64 / count)
        });
        [root].into_iter().chain(halved).collect()
    }

    /// The root of what going on through a stage is worth, from a place that is not left of it. The
    /// function is convex and increases, so that the steps descend.
    pub fn root(&self, stage: &Stage, start: f64) -> f64 {
        let mut u = start;
        for _ in 0..STEPS {
            let [value, slope] = self.worth(stage, u);
            let step = value / slope;
            u -= step;
            if step.abs() <= 1e-14 * (u.abs() + stage.sd) {
                break;
            }
        }
        u
    }

    /// What going on through a stage is worth, and its derivative.
    fn worth(&self, stage: &Stage, u: f64) -> [f64; OWN] {
        let mut sums = [0.0; OWN];
        self.integrate(stage.sd, u, &mut sums);
        [stage.survival * sums[0] - stage.price, stage.survival * sums[1]]
    }

    /// All fields of what going on through a stage is worth.
    pub fn expectations(&self, stage: &Stage, u: f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.far.len()];
        let moment = self.integrate(stage.sd, u, &mut sums);
        let expected = sums[0];
        for sum in &mut sums {
            *sum *= stage.survival;
        }
        sums[0] -= stage.price;
        if self.slopes {
            sums.extend([-1.0, stage.survival * moment, expected]);
        }
        sums
    }

    /// Slope and intercept of the fields of the value before a stage, far right.
    fn far_before(&self, stage: &Stage) -> Vec<[f64; 2]> {
        let scaled =
            |[slope, intercept]: &[f64; 2]| [stage.survival * slope, stage.survival * intercept];
        let mut far: Vec<[f64; 2]> = self.far.iter().map(scaled).collect();
        far[0][1] -= stage.price;
        if self.slopes {
            far.extend([[0.0, -1.0], [0.0, 0.0], self.far[0]]);
        }
        far
    }

    /// Adds the expectations of the first fields at `u + s Z` to the sums, and returns
    /// `E[V'(u + s Z) Z]`.
    fn integrate(&self, sd: f64, u: f64, sums: &mut [f64]) -> f64 {
        if sd == 0.0 {
            if u >= self.root {
                self.add(u, 1.0, sums);
            }
            return 0.0;
        }
        let low = self.root.max(u - TAIL * sd);
        let high = u + TAIL * sd;
        let mut moment = 0.0;
        for (panel, ends) in self.ends.windows(2).enumerate() {
            let left = ends[0].max(low);
            let right = ends[1].min(high);
            if left >= right {
                continue;
            }
            if ends[1] - ends[0] <= DIRECT * sd * (1.0 + 1e-9) {
                moment += self.add_nodes(panel, sd, u, sums);
                continue;
            }
            let half = 0.5 * (right - left);
            for (x, weight) in &QUADRATURE.nodes {
                let v = left + half * (1.0 + x);
                let z = (v - u) / sd;
                let share = weight * half / sd * density(z);
                moment += z * self.add_within(panel, v, share, sums);
            }
        }
        let end = self.ends[self.ends.len() - 1].max(low);
        if end < high {
            let l = (end - u) / sd;
            let above = cdf(-l);
            let at = density(l);
            for (sum, [slope, intercept]) in sums.iter_mut().zip(&self.far) {
                *sum += (slope * u + intercept) * above + slope * sd * at;
            }
            moment += self.far[SLOPE][1] * at;
        }
        moment
    }

    /// Adds the integral of the first fields over a panel, by its nodes, and returns that of
    /// `V'(v) z`.
    fn add_nodes(&self, panel: usize, sd: f64, u: f64, sums: &mut [f64]) -> f64 {
        let left = self.ends[panel];
        let right = self.ends[panel + 1];
        let half = 0.5 * (right - left);
        let fields = self.far.len();
        let rows = &self.table[panel * NODES * fields..(panel + 1) * NODES * fields];
        let first = (0.5 * (left + right) - u) / sd;
        let step = half / sd;
        let mut moment = 0.0;
        for (row, Node { x, weight, .. }) in rows.chunks_exact(fields).zip(&*CHEBYSHEV) {
            let z = first + step * x;
            let share = weight * step * density(z);
            moment += share * z * row[SLOPE];
            for (sum, field) in sums.iter_mut().zip(row) {
                *sum += share * field;
            }
        }
        moment
    }

    /// Adds the first fields at a place right of the root.
    fn add(&self, v: f64, weight: f64, sums: &mut [f64]) {
        match self.ends.windows(2).position(|ends| v <= ends[1]) {
            Some(panel) => {
                self.add_within(panel, v, weight, sums);
            }
            None => {
                for (sum, [slope, intercept]) in sums.iter_mut().zip(&self.far) {
                    *sum += weight * (slope * v + intercept);
                }
            }
        }
    }

    /// Adds the first fields at a place of a panel, and returns the weighted slope.
    fn add_within(&self, panel: usize, v: f64, weight: f64, sums: &mut [f64]) -> f64 {
        let left = self.ends[panel];
        let right = self.ends[panel + 1];
        let t = (2.0 * v - left - right) / (right - left);
        let fields = self.far.len();
        let rows = &self.table[panel * NODES * fields..(panel + 1) * NODES * fields];
        let mut terms = [0.0; NODES];
        let mut total = 0.0;
        for (term, Node { x, barycentric, .. }) in terms.iter_mut().zip(&*CHEBYSHEV) {
            let distance = t - x;
            // At a node the row itself; its neighbors vanish beside it.
            *term = barycentric / if distance == 0.0 { f64::MIN_POSITIVE } else { distance };
            total += *term;
        }
        let scale = weight / total;
        let mut slope = 0.0;
        for (row, term) in rows.chunks_exact(fields).zip(&terms) {
            let share = scale * term;
            slope += share * row[SLOPE];
            for (sum, field) in sums.iter_mut().zip(row) {
                *sum += share * field;
            }
        }
        slope
    }
}

/// The density of the normal distribution, to a relative error of `z^2/2` roundings.
fn density(z: f64) -> f64 {
    FRAC_1_SQRT_2PI * (-0.5 * z * z).exp()
}
