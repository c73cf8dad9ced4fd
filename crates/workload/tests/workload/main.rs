//! Tests of the workload from outside.

#[cfg(test)]
mod builtin_tokenizer;
#[cfg(test)]
mod plans;
#[cfg(test)]
mod single_turn;
#[cfg(test)]
mod synthetic;
#[cfg(test)]
mod tokenizers;
#[cfg(test)]
mod vocabularies;
