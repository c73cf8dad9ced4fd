//! Tests of traces from outside.

#[cfg(test)]
mod made;

#[cfg(test)]
mod analyze;
#[cfg(test)]
mod any_bytes;
#[cfg(test)]
mod bailian;
#[cfg(test)]
mod baseten;
#[cfg(test)]
mod mooncake;
#[cfg(test)]
mod tables;
#[cfg(test)]
mod tracelab;
#[cfg(test)]
mod weka;
