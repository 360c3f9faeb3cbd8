//! The scan of a search: scores points without gradients, to choose starts from them.

use std::borrow::Cow;
use std::ops::Range;

use crate::data::Points;
use crate::error::Result;
use crate::math::clock::Deadline;
use crate::maximize::mixed::Sequence;
use crate::maximize::pace::first_batch;
use crate::maximize::run::Run;
use crate::maximize::scanned::Scanned;

/// Points of a scan between two checks for cancellation.
const SCAN_CHUNK: usize = 8192;

/// The largest share of a scan's time for its hints.
const HINTS: f64 = 0.6;

impl Run<'_> {
    /// Scores the first `count` points of a sequence, and hints. The backend makes the points if it
    /// can.
    pub fn scan_with_hints<'a>(
        &mut self,
        raw: Sequence<'a>,
        count: usize,
        hints: &'a Points,
    ) -> Result<Scanned<'a>> {
        if let Some(mut values) = self.scan_drawn(&raw, count)? {
            let of_hints = if self.is_over() { Vec::new() } else { self.scan(hints)? };
            values.extend_from_slice(&of_hints);
            return Ok(Scanned::drawn(raw, hints, values, of_hints.len()));
        }
        let mut points = raw.points(0..count);
        points.extend(hints);
        let values = self.scan(&points)?;
        let of_hints = values.len().saturating_sub(count);
        Ok(Scanned::of(Cow::Owned(points), values, of_hints))
    }

    /// The values of the first points of a sequence, in chunks if the search can be interrupted.
    /// `None` if the backend does not make the points.
    fn scan_drawn(&mut self, raw: &Sequence<'_>, count: usize) -> Result<Option<Vec<f64>>> {
        let chunk = if self.is_in_one(count, SCAN_CHUNK) { count } else { SCAN_CHUNK };
        let mut values = Vec::new();
        while values.len() < count && (values.is_empty() || !self.interrupted()) {
            let rows = values.len()..count.min(values.len() + chunk);
            let Some(drawn) = raw.drawn(rows) else { return Ok(None) };
            if !self.ask_drawn(&drawn)? {
                return Ok(None);
            }
            values.extend_from_slice(&self.scores.value);
        }
        Ok(Some(values).filter(|_| count > 0))
    }

    /// Scores points, in chunks if the scan can be interrupted. Leaves out the points not reached,
    /// but never the first chunk.
    pub fn scan(&mut self, points: &Points) -> Result<Vec<f64>> {
        if self.is_in_one(points.len(), SCAN_CHUNK) {
            if points.is_empty() {
                return Ok(Vec::new());
            }
            self.evaluate(points, false)?;
            return Ok(self.scores.value.clone());
        }
        Ok(self.scan_made(points.len(), self.deadline, true, |rows| points.select(rows))?.1)
    }

    /// Scores `count` points, made when needed, and returns them with their values. Leaves out the
    /// points not reached at a deadline: that of the whole search or the earlier `until`. With
    /// `at_least_some` it never leaves out the first chunk.
    pub fn scan_made(
        &mut self,
        count: usize,
        until: Deadline,
        at_least_some: bool,
        mut make: impl FnMut(Range<usize>) -> Points,
    ) -> Result<(Points, Vec<f64>)> {
        if self.is_in_one(count, SCAN_CHUNK) {
            let points = make(0..count);
            let values = self.scan(&points)?;
            return Ok((points, values));
        }
        let mut points = make(0..0);
        let mut values = Vec::new();
        while values.len() < count {
            let needed = at_least_some && values.is_empty();
            let room = match until.left() {
                None => SCAN_CHUNK,
                Some(left) if needed => self.scans.next(left).max(first_batch(&self.job)),
                Some(left) => self.scans.next(left),
            };
            if room == 0 || (!needed && self.interrupted()) {
                break;
            }
            let chunk = make(values.len()..count.min(values.len().saturating_add(room)));
            self.evaluate(&chunk, false)?;
            values.extend_from_slice(&self.scores.value);
            points.extend(&chunk);
        }
        Ok((points, values))
    }

    /// Scores hints, then as many other points as there is time for until a moment. In the order that
    /// the choice of starts expects, the hints stand last.
    pub fn scan_hints_first(
        &mut self,
        hints: &Points,
        count: usize,
        until: Deadline,
        make: impl FnMut(Range<usize>) -> Points,
    ) -> Result<Scanned<'static>> {
        let share = if count > 0 { HINTS } else { 1.0 };
        let (hints, of_hints) =
            self.scan_made(hints.len(), until.part(share), true, |rows| hints.select(rows))?;
        let (mut points, mut values) = self.scan_made(count, until, of_hints.is_empty(), make)?;
        points.extend(&hints);
        values.extend_from_slice(&of_hints);
        Ok(Scanned::of(Cow::Owned(points), values, of_hints.len()))
    }
}
