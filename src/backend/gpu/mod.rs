//! The GPU backend: posterior, scores and gradients of a batch in WGSL, on any adapter that wgpu
//! reaches.
//!
//! The host factors the covariance, inverts the factor in double precision and sends `L^-1`. On the
//! device the whitened values `V = L^-1 K*` are then a product, not a recurrence, and variances are
//! differences of squares that lose no more digits than rounding takes. The passes that make a
//! chunk come from `shaders/`, in one submission:
//!
//! | shader | makes |
//! | --- | --- |
//! | `posterior/points_sent`, `search/points_drawn`, `search/points_climbs` | points in the units of a posterior: those that the host sent, those of a Sobol sequence, those that climbs try |
//! | `posterior/kernel_tile` | `K*`, slopes, and the means |
//! | `posterior/triangular_product` | `V = L^-1 K*` and the sums of its squares; `W = L^-T V` |
//! | `posterior/pending_shifts` | the shifts of the means by the fantasies, if trials are pending |
//! | `acquisition/score` | moments, the value, and what its gradient multiplies |
//! | `acquisition/score_pending` | the same if trials are pending, and the derivatives by the shifts |
//! | `posterior/pending_adjoint` | what takes the place of `V` in `W` if trials are pending |
//! | `posterior/pathwise` | value and gradient of a sample path, if the acquisition is one |
//! | `posterior/branch_covariance` | for trees of points, in place of the score: means and covariances along the branches |
//! | `posterior/branch_adjoint` | for trees: the matrix that the adjoints make of `V`, to be multiplied by `L^-T` |
//! | `posterior/gradient` | the gradient, contracted from slopes, `W` and the weights of the data |
//! | `search/climb` | a step of each climb, from value and gradient, if a search stays on the device |
//! | `backend/top_k` | the best of the chunk, if only these are wanted |
//!
//! If rows hold the points of a tree, the host makes the values, and the adjoints of the moments,
//! in double precision. With gradients there are then two submissions.
//!
//! If trials are pending ([`Job::pending`](crate::backend::Job)), the score is a sum over their
//! joint fantasies. Fantasy `k` shifts the mean by `w' z_k`, with the last entries `w` of a column
//! of `V`. The adjoint of a column is `b v - [0; sum_k c_k z_k]` then, with the weight `b` of the
//! variance and the derivatives `c_k` by the shifts, and takes the place of `b v`.
//!
//! **Precision.** One source is compiled twice: for 32-bit floats and, if shaders have them, for
//! 64-bit floats. Single precision finds basins: with unit prior variance its means err by less
//! than `eps |L^-1|` in the Frobenius norm (`eps = 1.2e-7`, `fit::single_error`), since every rounded
//! distance counts as much as the weight of its datum. Kernel values and means are sums of two
//! numbers, so that no other rounding counts as much. If the estimate passes `fit::FIT`, single
//! precision is refused, and double precision or the host takes its place.
//!
//! **Failure.** If anything goes wrong on the device, the same call finishes on the
//! [`Cpu`](crate::Cpu), and [`Provenance::fallback`](crate::backend::Provenance::fallback) says
//! why. After a lost device, a refused command or exhausted memory every later call stays on the
//! CPU.
//!
//! # Reading order
//!
//! A room uses only rooms that stand above it in this list.
//!
//! | room | holds |
//! | --- | --- |
//! | `hardware/` | the adapters, an open device of wgpu, why the host computes instead |
//! | `kernels/` | the numbers that shaders and host agree on; the shaders' texts, compiled; buffers |
//! | `resident/` | posteriors and sample paths on the device |
//! | `chunk/` | units and work of a job; the rows, buffers and commands of a chunk; its way back |
//! | `pass/` | the one way of a batch: send, record, submit, land, measure; what differs between passes |
//! | `timing/` | what is timed and tested on a device |
//! | `device`, `gpu`, `opening`, `auto` | a tested device; the backends; a device that a thread opens |

mod auto;
mod chunk;
mod device;
#[cfg(test)]
mod fault;
#[cfg(test)]
mod faults;
#[allow(clippy::module_inception, reason = "the file is named after its type")]
mod gpu;
mod hardware;
mod opening;
pub(crate) mod kernels;
pub(crate) mod pass;
pub(crate) mod resident;
pub(crate) mod timing;

pub(super) use auto::{auto, open};
pub use device::Device;
pub use gpu::Gpu;
pub use hardware::adapter::{AdapterKind, AdapterReport, adapters};
