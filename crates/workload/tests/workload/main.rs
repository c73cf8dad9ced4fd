//! Tests of the workload from outside.

#[cfg(test)]
mod blocks;
#[cfg(test)]
mod corpora;
#[cfg(test)]
mod dataset;
#[cfg(test)]
mod golden;
#[cfg(test)]
mod lengths;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod prefixes;
#[cfg(test)]
mod random_ids;
#[cfg(test)]
mod rankings;
#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod templates;
#[cfg(test)]
mod turns;
#[cfg(test)]
#[path = "../../../tokenizer/tests/tokenizer/vocabularies.rs"]
mod vocabularies;
