//! The search for the largest knowledge gradient in one shot.

use rayon::iter::ParallelIterator;
use rayon::slice::ParallelSlice;

use crate::acquisition::{Acquisition, Joint};
use crate::backend::{Backend, Job};
use crate::data::Points;
use crate::error::{Error, ErrorKind, Result};
use crate::math::clock::{Deadline, Pace};
use crate::maximize::climb::{SAME_COARSE, near};
use crate::maximize::maximum::Maximum;
use crate::maximize::settings::Maximize;
use crate::posterior::Posterior;
use crate::posterior::knowledge_gradient::{Covariances, Elsewhere, Root};

/// The number of local maxima of the posterior mean, best first, from which the points of a start
/// are chosen.
const BASINS: usize = 32;

/// The largest number of points reported as places where the mean may become largest. Further
/// points lie within a thousandth of the cube of reported ones, or belong to the worst climbs.
const TOLD: usize = 1024;

/// Shares of the remaining time: for the search of the mean, and then for making the starts.
const MEAN: f64 = 0.2;
const STARTS: f64 = 0.2;

impl Maximize {
    /// Searches the roots of the knowledge gradient in one shot, all points of a row together.
    ///
    /// Returns the result of [`run`](Self::run) for the roots only. Also returns the places where
    /// the posterior mean may become largest, for [`Joint::FiniteKnowledgeGradient`]: its own
    /// maxima and the points of all rows found. `hints` are roots; a [plain](Self::plain) search
    /// ignores them.
    ///
    /// First the posterior mean is searched. The roots are half of the raw points, and the hints.
    /// For each normal number a root gets the best point among the mean's maxima and the root
    /// itself. So no start is below the knowledge gradient of these points. Climbs in all
    /// `(1 + m) d` coordinates start from the best roots and from some of the others (Balandat et
    /// al. 2020, section 4.2 and appendix C; there the points are drawn).
    ///
    /// # Errors
    /// [`ErrorKind::InvalidSetting`] for another acquisition. Those of [`run`](Self::run).
    pub fn knowledge_gradient(
        &self,
        backend: &dyn Backend,
        job: &Job<'_>,
        hints: &Points,
    ) -> Result<(Maximum, Points)> {
        let Acquisition::Joint(Joint::KnowledgeGradient { normals, .. }) = job.acquisition else {
            let name = job.acquisition.name();
            return Err(Error::new(
                ErrorKind::InvalidSetting,
                format!("expected the knowledge gradient in one shot, got the {name}"),
            ));
        };
        job.validate()?;
        let dim = job.posterior.dim();
        let whole = Deadline::from(self.deadline);
        let first = Self { deadline: whole.part(MEAN).at(), ..self.clone() };
        let highest = first.run(backend, &job.acquisition(&Acquisition::MEAN), hints)?;
        let basins = highest.finalists.select(0..highest.finalists.len().min(BASINS));
        let raw = self.sequence(dim, self.seed).points(0..self.raw.div_ceil(2));
        let none = Points::new(dim);
        let hints = &*self.clamped(if self.plain { &none } else { hints });
        let rows = if whole.is_set() {
            let mut roots = hints.clone();
            roots.extend(&raw);
            starts_until(job.posterior, normals, &basins, &roots, whole.part(STARTS))?
        } else {
            let mut roots = raw;
            roots.extend(hints);
            starts(job.posterior, normals, &basins, &roots)
        };
        // The search made these rows itself, so a plain search starts from them too.
        let found = Self { raw: 0, plain: false, ..self.clone() }.run(backend, job, &rows)?;
        let mut among = basins;
        let points = found.finalists.rows().flat_map(|row| row[dim..].chunks_exact(dim));
        for point in points {
            if among.len() < TOLD && !among.rows().any(|other| near(other, point, SAME_COARSE)) {
                among.push(point);
            }
        }
        let mut finalists = Points::with_capacity(dim, found.finalists.len());
        found.finalists.rows().for_each(|row| finalists.push(&row[..dim]));
        let maximum = Maximum {
            point: found.point[..dim].to_vec(),
            finalists,
            rounds: highest.rounds + found.rounds,
            evaluations: highest.evaluations + found.evaluations,
            ..found
        };
        Ok((maximum, among))
    }
}

/// Makes starts from the first roots, as many as there is time for and at least one.
fn starts_until(
    posterior: &Posterior,
    normals: &[f64],
    basins: &Points,
    roots: &Points,
    until: Deadline,
) -> Result<Points> {
    let mut rows = Points::new(roots.dim() * (1 + normals.len()));
    Pace::new(1).batches(roots.len(), until, 1, |next| -> Result<()> {
        rows.extend(&starts(posterior, normals, basins, &roots.select(next)));
        Ok(())
    })?;
    Ok(rows)
}

/// Makes one row per root: the root, and for each normal number the best point among the basins and
/// the root.
fn starts(posterior: &Posterior, normals: &[f64], basins: &Points, roots: &Points) -> Points {
    let dim = posterior.dim();
    let mut elsewhere = Elsewhere::default();
    posterior.elsewhere(basins.values(), false, &mut elsewhere);
    let row = |(root, covariances): &mut (Root, Covariances), x: &[f64]| {
        posterior.root(x, false, root);
        posterior.covariances(root, &elsewhere, covariances);
        let mut row = x.to_vec();
        for z in normals {
            let afterwards = |(mean, covariance): (&f64, &f64)| mean + root.reach * covariance * z;
            let values = elsewhere.mean.iter().zip(&covariances.values).map(afterwards);
            let own = (afterwards((&root.mean, &root.variance)), x);
            let (_, best) = values
                .zip(basins.rows())
                .fold(own, |best, next| if next.0 > best.0 { next } else { best });
            row.extend_from_slice(best);
        }
        row
    };
    let rows: Vec<Vec<f64>> =
        roots.values().par_chunks(dim).map_init(Default::default, row).collect();
    let mut points = Points::with_capacity(dim * (1 + normals.len()), rows.len());
    for row in &rows {
        points.push(row);
    }
    points
}
