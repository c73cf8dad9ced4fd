//! Names of requests and conversations: made from the run and the position in it, so that everybody who knows those
//! (the client that sends it as a header, the writers of files) comes to the same name without handing it around.

use crate::Phase;

/// The id of a request, in the shape of a UUID (version 8). `seq` is the request's number in its phase.
#[must_use]
pub fn request_id(run_id: &str, phase: Phase, seq: u64) -> String {
    let domain = match phase {
        Phase::Warmup => 1,
        Phase::Profiling => 2,
    };
    uuid_of(run_id, domain, seq)
}

/// The id of a conversation, in the shape of a UUID (version 8).
#[must_use]
pub fn correlation_id(run_id: &str, phase: Phase, session: u64) -> String {
    let domain = match phase {
        Phase::Warmup => 3,
        Phase::Profiling => 4,
    };
    uuid_of(run_id, domain, session)
}

fn uuid_of(run_id: &str, domain: u64, number: u64) -> String {
    // FNV-1a over the run, then a bijective mix of the number: within a run two numbers never share an id.
    let run = run_id
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let high = mix(run ^ mix(domain));
    let low = mix(number ^ high);
    let high = mix(high ^ low.rotate_left(17));
    format!(
        "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0x0fff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

/// The finaliser of SplitMix64.
fn mix(seed: u64) -> u64 {
    let x = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn looks_like_a_uuid_and_is_stable() {
        let id = request_id("0123456789ab", Phase::Profiling, 7);
        assert_eq!(id, request_id("0123456789ab", Phase::Profiling, 7));
        assert_eq!(id.len(), 36);
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12]);
        assert_eq!(id.as_bytes()[14], b'8');
        assert!(b"89ab".contains(&id.as_bytes()[19]));
    }

    #[test]
    fn differs_between_runs_phases_and_numbers() {
        let mut seen = HashSet::new();
        for run in ["a", "b"] {
            for seq in 0..2000 {
                assert!(seen.insert(request_id(run, Phase::Warmup, seq)));
                assert!(seen.insert(request_id(run, Phase::Profiling, seq)));
                assert!(seen.insert(correlation_id(run, Phase::Profiling, seq)));
            }
        }
    }
}
