//! What comes out is read back by other readers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

#[cfg(test)]
mod audio;
#[cfg(test)]
mod image;
#[cfg(test)]
mod load;
#[cfg(test)]
mod video;

use sha2::{Digest, Sha256};

/// The SHA-256 of some bytes, in hexadecimal.
fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
