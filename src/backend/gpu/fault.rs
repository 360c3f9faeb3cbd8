//! Faults planted in the engine, for what no test can cause from outside.

use std::cell::Cell;

use crate::backend::Precision;
use crate::backend::gpu::hardware::failure::Failure;
use crate::backend::gpu::hardware::handle::Handle;
use crate::backend::gpu::kernels::memory::{STORAGE, allocate};
use crate::backend::gpu::kernels::tiling::Tiling;

/// The fault to inject into the next submission of this thread (into every one for self-test
/// faults).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Fault {
    /// A submission wants a buffer larger than there can be.
    TooLarge,
    /// A submission copies from beyond the end of a buffer.
    Refused,
    /// The device goes while a submission is recorded.
    Lost,
    /// A self-test gets a number that is off by so much of the prior's deviation.
    Wrong(Precision, f64),
    /// The same, if products are made by this tiling.
    WrongTile(Tiling, f64),
}

thread_local! {
    static NEXT: Cell<Option<Fault>> = const { Cell::new(None) };
}

/// Plants a fault.
pub(super) fn plant(fault: Fault) {
    NEXT.set(Some(fault));
}

/// Takes back a fault that is still planted.
pub(super) fn planted() -> Option<Fault> {
    NEXT.take()
}

/// The occasion of a submission.
pub(super) fn on_submission(
    handle: &Handle,
    encoder: &mut wgpu::CommandEncoder,
) -> Result<(), Failure> {
    match NEXT.take() {
        Some(Fault::TooLarge) => {
            let size = handle.device().limits().max_buffer_size + 1;
            allocate(handle, "planted", size, STORAGE).map(|_| ())
        }
        Some(Fault::Refused) => {
            let from = allocate(handle, "planted", 256, STORAGE)?;
            let to = allocate(handle, "planted", 256, STORAGE)?;
            encoder.copy_buffer_to_buffer(&from, 0, &to, 0, 512);
            Ok(())
        }
        Some(Fault::Lost) => {
            handle.device().destroy();
            Ok(())
        }
        other => {
            NEXT.set(other);
            Ok(())
        }
    }
}

/// The occasion of a self-test. Returns what to add to one of its means.
pub(super) fn on_self_test(precision: Precision, tiling: Tiling) -> f64 {
    match NEXT.get() {
        Some(Fault::Wrong(of, by)) if of == precision => by,
        Some(Fault::WrongTile(of, by)) if of == tiling => by,
        _ => 0.0,
    }
}
