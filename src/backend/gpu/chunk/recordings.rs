//! The recordings that are kept from chunk to chunk.

use super::record::{Recording, RecordingKey};
use super::scratch::Scratch;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::kernels::pipelines::Pipelines;
use crate::backend::gpu::resident::paths::{PathPlace, SentPaths};
use crate::backend::gpu::resident::residents::{Place, Resident, Residents};

/// Recordings that are kept: with and without gradients, in both precisions, for two jobs in turn.
const RECORDINGS: usize = 8;

/// The recordings that are kept, the latest last.
#[derive(Default)]
pub struct Recordings(Vec<Recording>);

impl Recordings {
    /// Drops all, since a bound buffer was replaced.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Drops the recordings of posteriors and paths that are no longer on the device. Their
    /// bindings keep buffers alive.
    pub fn forget(&mut self, residents: &Residents, paths: &SentPaths) {
        let held = |place: Option<Place>| place.is_none() || residents.get(place).is_some();
        let kept = |place: Option<PathPlace>| place.is_none() || paths.get(place).is_some();
        self.0.retain(|recording| {
            let key = recording.key();
            key.models().into_iter().all(held) && kept(key.path)
        });
    }

    /// The recording of a key. Makes it if it is not there.
    pub fn get(
        &mut self,
        pipelines: &Pipelines,
        key: RecordingKey,
        posteriors: [Option<&Resident>; 3],
        scratch: &Scratch,
        paths: &SentPaths,
    ) -> Result<&Recording, Failure> {
        let at = match self.0.iter().position(|recording| recording.key() == key) {
            Some(at) => at,
            None => {
                if self.0.len() == RECORDINGS {
                    self.0.remove(0);
                }
                self.0.push(Recording::new(pipelines, key, posteriors, scratch, paths)?);
                self.0.len() - 1
            }
        };
        Ok(&self.0[at])
    }
}
