//! The first tier: deltas.

use super::role_of;
use crate::members::{Seen, one_text, plain, skip_other, text};
use crate::scan::Scanner;
use crate::{Answer, EventInfo};

/// Reads a delta, or leaves the answer as it was and gives nothing.
pub(crate) fn read(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let event = std::str::from_utf8(data).ok()?;
    let mut scanner = Scanner::new(event);
    let mut seen = Seen::default();
    let (mut role, mut delta) = (None, None);
    scanner.object(|scanner, key| {
        match plain(key)? {
            b"type" => {
                seen.first(0)?;
                role = Some(role_of(plain(scanner.string()?)?)?);
            }
            b"delta" => {
                seen.first(1)?;
                delta = text(scanner)?;
            }
            key => skip_other(scanner, key)?,
        }
        Some(())
    })?;
    if !scanner.is_at_end() {
        return None;
    }
    one_text(role?, delta, answer)
}
