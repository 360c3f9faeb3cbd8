//! Every tolerance of the tests, with its derivation.
