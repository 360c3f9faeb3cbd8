//! Whole loops: ask and tell, bad input, stopping.

mod ask_tell;
mod bad_input;
mod estimation;
mod policies;
mod stopping;
mod table;
mod optima;
