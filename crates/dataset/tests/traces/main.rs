//! Tests of traces from outside.

#[cfg(test)]
mod made;

#[cfg(test)]
mod bailian;
#[cfg(test)]
mod mooncake;
#[cfg(test)]
mod tables;
