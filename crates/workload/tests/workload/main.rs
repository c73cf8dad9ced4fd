//! Tests of the workload from outside.

#[cfg(test)]
mod plans;
#[cfg(test)]
mod single_turn;
#[cfg(test)]
mod synthetic;
#[cfg(test)]
#[path = "../../../tokenizer/tests/tokenizer/vocabularies.rs"]
mod vocabularies;
