//! Studies of runs in stages by chance, against books of their own.

pub mod books;
pub mod calls;
pub mod play;
pub mod world;
