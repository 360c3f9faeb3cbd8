//! Adapters of this machine, an open device of wgpu, and why the host computes instead.
//!
//! | file | holds |
//! | --- | --- |
//! | `adapter` | the adapters that wgpu finds |
//! | `failure` | why a device did not compute |
//! | `handle` | an open device |

pub mod adapter;
pub mod failure;
pub mod handle;
