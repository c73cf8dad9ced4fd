//! Limits of this process that the load may run into.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::ClientError;

/// Descriptors for everything that is not a connection to the server.
const RESERVE: u64 = 64;

/// Raises the soft limit of open files to the hard one, and checks that the connections fit.
pub(crate) fn raise_open_files(connections: u32) -> Result<(), ClientError> {
    let limit = getrlimit(Resource::Nofile);
    if limit.current < limit.maximum {
        // Refused only where a sandbox forbids it; then the check below says what is missing.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
    }
    let (needed, wanted) = (u64::from(connections), u64::from(connections) + RESERVE);
    match getrlimit(Resource::Nofile).current {
        Some(limit) if limit < wanted => Err(ClientError::OpenFiles { needed, wanted, limit }),
        _ => Ok(()),
    }
}
