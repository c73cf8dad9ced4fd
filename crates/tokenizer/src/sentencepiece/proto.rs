//! The part of the protobuf wire format that a sentencepiece model needs.

/// A field of a message.
pub(super) enum Field<'a> {
    Varint(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
    /// A type that no field of a model has.
    Other,
}

impl Field<'_> {
    pub(super) fn as_bool(&self) -> Option<bool> {
        if let Self::Varint(value) = self { Some(*value != 0) } else { None }
    }

    /// Negative numbers are written with 64 bits.
    pub(super) fn as_i32(&self) -> Option<i32> {
        if let Self::Varint(value) = self { Some(*value as i32) } else { None }
    }

    pub(super) fn as_f32(&self) -> Option<f32> {
        if let Self::Fixed32(bits) = self { Some(f32::from_bits(*bits)) } else { None }
    }
}

impl<'a> Field<'a> {
    pub(super) fn as_bytes(&self) -> Option<&'a [u8]> {
        if let Self::Bytes(bytes) = self { Some(bytes) } else { None }
    }
}

/// The fields of a message with their numbers, up to the end or the first that makes no sense.
pub(super) struct Fields<'a> {
    rest: &'a [u8],
    /// It ended before its end.
    pub(super) is_broken: bool,
}

impl<'a> Fields<'a> {
    pub(super) fn of(message: &'a [u8]) -> Self {
        Self { rest: message, is_broken: false }
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn field(&mut self) -> Option<(u64, Field<'a>)> {
        let key = self.varint()?;
        let field = match key & 7 {
            0 => Field::Varint(self.varint()?),
            1 => self.take(8).map(|_| Field::Other)?,
            2 => {
                let length = self.varint()?;
                Field::Bytes(self.take(usize::try_from(length).ok()?)?)
            }
            5 => Field::Fixed32(u32::from_le_bytes(*self.take(4)?.first_chunk()?)),
            _ => return None,
        };
        (key >> 3 != 0).then_some((key >> 3, field))
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Field<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() || self.is_broken {
            return None;
        }
        let field = self.field();
        self.is_broken = field.is_none();
        field
    }
}
