//! Tensors: datatypes, and their elements as JSON values and as raw bytes.

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Number, Value};

use crate::messages::{InferTensor, InferTensorContents};

/// What a tensor's elements are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Datatype {
    /// Truth values.
    Bool,
    /// Whole numbers of 1, 2, 4 or 8 bytes.
    Int(u8),
    /// Whole numbers of 1, 2, 4 or 8 bytes that are not negative.
    Uint(u8),
    /// Numbers of 4 or 8 bytes.
    Float(u8),
    /// Texts, or any bytes.
    Bytes,
}

impl Datatype {
    /// The datatype of a name; none for half-precision numbers, and names that the protocol does not have.
    #[must_use]
    pub fn of(name: &str) -> Option<Self> {
        Some(match name {
            "BOOL" => Self::Bool,
            "INT8" => Self::Int(1),
            "INT16" => Self::Int(2),
            "INT32" => Self::Int(4),
            "INT64" => Self::Int(8),
            "UINT8" => Self::Uint(1),
            "UINT16" => Self::Uint(2),
            "UINT32" => Self::Uint(4),
            "UINT64" => Self::Uint(8),
            "FP32" => Self::Float(4),
            "FP64" => Self::Float(8),
            "BYTES" => Self::Bytes,
            _ => return None,
        })
    }

    /// What a JSON value is sent as where nobody says.
    #[must_use]
    pub fn of_value(value: &Value) -> Self {
        match value {
            Value::Bool(_) => Self::Bool,
            Value::Number(number) if number.is_i64() || number.is_u64() => Self::Int(4),
            Value::Number(_) => Self::Float(4),
            _ => Self::Bytes,
        }
    }

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "BOOL",
            Self::Int(1) => "INT8",
            Self::Int(2) => "INT16",
            Self::Int(8) => "INT64",
            Self::Int(_) => "INT32",
            Self::Uint(1) => "UINT8",
            Self::Uint(2) => "UINT16",
            Self::Uint(8) => "UINT64",
            Self::Uint(_) => "UINT32",
            Self::Float(8) => "FP64",
            Self::Float(_) => "FP32",
            Self::Bytes => "BYTES",
        }
    }

    /// The elements as they lie in memory, least significant byte first; each of texts after its length. `None` if one of
    /// them is no such element.
    #[must_use]
    pub fn raw(self, values: &[Value]) -> Option<Bytes> {
        let mut out = BytesMut::new();
        for value in values {
            self.put(value, &mut out)?;
        }
        Some(out.freeze())
    }

    fn put(self, value: &Value, out: &mut BytesMut) -> Option<()> {
        match self {
            Self::Bool => out.put_u8(u8::from(value.as_bool()?)),
            Self::Int(size) => {
                let number = value.as_i64()?;
                let bits = 8 * u32::from(size);
                // Shifting the sign bits out and in again changes what does not fit.
                if (number << (64 - bits)) >> (64 - bits) != number {
                    return None;
                }
                out.put_int_le(number, size.into());
            }
            Self::Uint(size) => {
                let number = value.as_u64()?;
                if size < 8 && number >> (8 * u32::from(size)) != 0 {
                    return None;
                }
                out.put_uint_le(number, size.into());
            }
            #[expect(clippy::cast_possible_truncation, reason = "single precision is what the model takes")]
            Self::Float(4) => out.put_f32_le(value.as_f64()? as f32),
            Self::Float(_) => out.put_f64_le(value.as_f64()?),
            Self::Bytes => {
                let text = match value {
                    Value::String(text) => text.clone(),
                    Value::Null => return None,
                    // Lists and objects within a text are JSON, as sampling parameters are.
                    other => other.to_string(),
                };
                out.put_u32_le(u32::try_from(text.len()).ok()?);
                out.put_slice(text.as_bytes());
            }
        }
        Some(())
    }
}

/// A tensor's elements.
pub type TensorValues = Vec<Value>;

/// The elements of a tensor, from its own contents or from the raw ones of its place; none if they cannot be read. Bytes that
/// are no text have replacement characters in it.
#[must_use]
pub fn values_of(tensor: &InferTensor, raw: Option<&Bytes>) -> Option<TensorValues> {
    if let Some(contents) = &tensor.contents {
        return Some(values_in(contents));
    }
    let datatype = Datatype::of(&tensor.datatype)?;
    let mut rest: &[u8] = raw?;
    let mut values = Vec::new();
    while !rest.is_empty() {
        values.push(match datatype {
            Datatype::Bool => Value::from(take(&mut rest, 1)?[0] != 0),
            Datatype::Int(size) => {
                let bits = 64 - 8 * u32::from(size);
                Value::from(number(take(&mut rest, size.into())?).cast_signed() << bits >> bits)
            }
            Datatype::Uint(size) => Value::from(number(take(&mut rest, size.into())?)),
            Datatype::Float(4) => {
                let bytes = take(&mut rest, 4)?.try_into().ok()?;
                float(f64::from(f32::from_le_bytes(bytes)))
            }
            Datatype::Float(_) => float(f64::from_bits(number(take(&mut rest, 8)?))),
            Datatype::Bytes => {
                let length = usize::try_from(number(take(&mut rest, 4)?)).ok()?;
                String::from_utf8_lossy(take(&mut rest, length)?).into()
            }
        });
    }
    Some(values)
}

fn values_in(contents: &InferTensorContents) -> TensorValues {
    let texts = contents.bytes.iter().map(|bytes| Value::from(String::from_utf8_lossy(bytes)));
    let mut values: TensorValues = texts.collect();
    values.extend(contents.bools.iter().copied().map(Value::from));
    values.extend(contents.ints.iter().copied().map(Value::from));
    values.extend(contents.int64s.iter().copied().map(Value::from));
    values.extend(contents.uints.iter().copied().map(Value::from));
    values.extend(contents.uint64s.iter().copied().map(Value::from));
    values.extend(contents.floats.iter().map(|&number| float(number.into())));
    values.extend(contents.doubles.iter().copied().map(float));
    values
}

fn float(number: f64) -> Value {
    Number::from_f64(number).map_or(Value::Null, Value::Number)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, behind) = rest.split_at_checked(length)?;
    *rest = behind;
    Some(taken)
}

/// A whole number of up to eight bytes, least significant first.
fn number(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn tensor(datatype: Datatype) -> InferTensor {
        InferTensor { datatype: datatype.name().to_owned(), ..InferTensor::default() }
    }

    #[test]
    fn elements_lie_in_memory_least_significant_byte_first() {
        let raw = |datatype: Datatype, value: Value| datatype.raw(&[value]).map(|bytes| bytes.to_vec());
        assert_eq!(raw(Datatype::Bool, json!(true)), Some(vec![1]));
        assert_eq!(raw(Datatype::Int(4), json!(-2)), Some(vec![0xfe, 0xff, 0xff, 0xff]));
        assert_eq!(raw(Datatype::Uint(8), json!(u64::MAX)), Some(vec![0xff; 8]));
        assert_eq!(raw(Datatype::Float(4), json!(1)), Some(vec![0, 0, 0x80, 0x3f]));
        assert_eq!(raw(Datatype::Bytes, json!("é")), Some(vec![2, 0, 0, 0, 0xc3, 0xa9]));
        assert_eq!(raw(Datatype::Bytes, json!({"a": 1})), Some(b"\x07\0\0\0{\"a\":1}".to_vec()));
    }

    #[test]
    fn what_does_not_fit_is_no_element() {
        for (datatype, value) in [
            (Datatype::Int(1), json!(128)),
            (Datatype::Int(4), json!(i64::from(i32::MIN) - 1)),
            (Datatype::Uint(2), json!(65_536)),
            (Datatype::Uint(4), json!(-1)),
            (Datatype::Int(4), json!(0.5)),
            (Datatype::Bool, json!(1)),
            (Datatype::Float(4), json!("1")),
            (Datatype::Bytes, json!(null)),
        ] {
            assert_eq!(datatype.raw(std::slice::from_ref(&value)), None, "{datatype:?} {value}");
        }
        assert!(Datatype::Int(1).raw(&[json!(-128), json!(127)]).is_some());
    }

    #[test]
    fn raw_elements_that_are_cut_off_cannot_be_read() {
        for raw in [&b"\x05\0\0\0abc"[..], b"\x01\0", b"\xff\xff\xff\xffa"] {
            assert_eq!(values_of(&tensor(Datatype::Bytes), Some(&Bytes::copy_from_slice(raw))), None, "{raw:?}");
        }
        assert_eq!(values_of(&tensor(Datatype::Int(4)), Some(&Bytes::from_static(b"abc"))), None);
        assert_eq!(values_of(&tensor(Datatype::Int(4)), None), None);
    }

    proptest! {
        #[test]
        fn raw_elements_are_read_back(texts in prop::collection::vec(".*", 0..4), ints in prop::collection::vec(any::<i32>(), 0..4)) {
            let texts: Vec<Value> = texts.into_iter().map(Value::from).collect();
            prop_assert_eq!(values_of(&tensor(Datatype::Bytes), Datatype::Bytes.raw(&texts).as_ref()), Some(texts));
            let ints: Vec<Value> = ints.into_iter().map(Value::from).collect();
            prop_assert_eq!(values_of(&tensor(Datatype::Int(4)), Datatype::Int(4).raw(&ints).as_ref()), Some(ints));
        }
    }
}
