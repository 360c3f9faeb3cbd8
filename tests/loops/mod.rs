//! Whole loops: ask and tell, costs, policies, stopping, records, bad input.

mod ask_tell;
mod bad_input;
mod cost_prices;
mod costs;
mod decisions;
mod estimation;
mod knowledge_gradient;
mod lookahead;
mod optima;
mod policies;
mod record;
mod replay;
mod stopping;
mod stopping_bounds;
mod stopping_improvement;
mod stopping_misuse;
mod stopping_paths;
mod stopping_theorem;
mod stopping_windows;
mod subset_advice;
mod subset_errors;
mod subsets;
mod table;
mod thompson;
