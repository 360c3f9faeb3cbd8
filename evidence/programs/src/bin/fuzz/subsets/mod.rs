//! Studies of control sets: the same as for other studies, with calls, books and worlds of their
//! own.

mod books;
pub mod calls;
pub mod play;
pub mod world;
