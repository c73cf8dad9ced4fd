//! Tests of datasets from outside.

#[cfg(test)]
mod folder;
#[cfg(test)]
mod single_turn;
