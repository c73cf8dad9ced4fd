//! Tests of the tokenizers from outside.

#[cfg(test)]
mod builtin_tokenizer;
#[cfg(test)]
mod tokenizers;
#[cfg(test)]
mod vocabularies;
