//! The compiled shaders, and what host and device agree on.
//!
//! | file | holds |
//! | --- | --- |
//! | `layout` | the numbers that shaders and host share |
//! | `binding` | which buffer is bound where |
//! | `source` | the texts of the shaders, with their imports |
//! | `memory` | buffers |
//! | `tiling` | tiles of products |
//! | `pipelines` | compiled shaders |

pub mod binding;
pub mod layout;
pub mod memory;
pub mod pipelines;
pub mod search_layout;
pub mod source;
pub mod tiling;
