//! Whole loops: ask and tell, bad input, stopping.

mod ask_tell;
mod bad_input;
mod record;
mod replay;
mod costs;
mod estimation;
mod policies;
mod knowledge_gradient;
mod stopping;
mod stopping_bounds;
mod stopping_improvement;
mod stopping_misuse;
mod stopping_paths;
mod stopping_theorem;
mod stopping_windows;
mod table;
mod thompson;
mod optima;
