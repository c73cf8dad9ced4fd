//! The fields of a protocol-buffers message, one after the other, without a copy.

/// The value of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Field<'a> {
    /// A whole number or truth value.
    Varint(u64),
    /// Eight or four bytes.
    Fixed(&'a [u8]),
    /// A text, bytes, a message, or numbers one after the other.
    Bytes(&'a [u8]),
}

impl<'a> Field<'a> {
    /// Its bytes, if it is made of any.
    pub(crate) fn bytes(self) -> Option<&'a [u8]> {
        match self {
            Self::Bytes(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// Its number, if it is one.
    pub(crate) fn varint(self) -> Option<u64> {
        match self {
            Self::Varint(number) => Some(number),
            _ => None,
        }
    }
}

/// Calls `each` with the number and value of each field. `None` if the bytes are no message, or `each` gives `None`.
pub(crate) fn fields<'a>(message: &'a [u8], mut each: impl FnMut(u32, Field<'a>) -> Option<()>) -> Option<()> {
    let mut rest = message;
    while !rest.is_empty() {
        let key = varint(&mut rest)?;
        let field = match key & 7 {
            0 => Field::Varint(varint(&mut rest)?),
            1 => Field::Fixed(take(&mut rest, 8)?),
            2 => {
                let length = usize::try_from(varint(&mut rest)?).ok()?;
                Field::Bytes(take(&mut rest, length)?)
            }
            5 => Field::Fixed(take(&mut rest, 4)?),
            // Groups are of a time before this protocol.
            _ => return None,
        };
        let number = u32::try_from(key >> 3).ok().filter(|number| *number > 0)?;
        each(number, field)?;
    }
    Some(())
}

/// A number of seven bits a byte, least significant first.
pub(crate) fn varint(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, behind) = rest.split_first()?;
        *rest = behind;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(taken)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(message: &[u8]) -> Option<Vec<(u32, Field<'_>)>> {
        let mut found = Vec::new();
        fields(message, |number, field| {
            found.push((number, field));
            Some(())
        })?;
        Some(found)
    }

    #[test]
    fn fields_come_in_order() {
        let message = b"\x08\x96\x01\x12\x03abc\x1d\x01\x02\x03\x04\x21\x01\x02\x03\x04\x05\x06\x07\x08";
        assert_eq!(
            all(message).unwrap(),
            [
                (1, Field::Varint(150)),
                (2, Field::Bytes(b"abc")),
                (3, Field::Fixed(&[1, 2, 3, 4])),
                (4, Field::Fixed(&[1, 2, 3, 4, 5, 6, 7, 8])),
            ]
        );
        assert_eq!(all(b"").unwrap(), []);
    }

    #[test]
    fn what_is_cut_off_or_out_of_bounds_is_no_message() {
        for message in [
            &b"\x08"[..],
            b"\x08\x80",
            b"\x12\x05abc",
            b"\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            b"\x0b\x0c",
            b"\x02\x00",
            b"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
        ] {
            assert_eq!(all(message), None, "{message:?}");
        }
    }
}
