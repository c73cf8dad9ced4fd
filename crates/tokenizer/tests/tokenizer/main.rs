//! Tests of the tokenizers from outside.

#[cfg(test)]
mod builtin_tokenizer;
#[cfg(test)]
mod byte_level;
#[cfg(test)]
mod byte_pairs;
#[cfg(test)]
mod folders;
#[cfg(feature = "hub")]
#[cfg(test)]
mod hub;
#[cfg(test)]
mod sentencepiece;
#[cfg(test)]
mod tokenizers;
#[cfg(test)]
mod vocabularies;
