//! Answers about images: `{"data": [{"index", "bounding_boxes": …}]}`, one item for each image.

use serde_json::Value;

use crate::parts::{lacking, parse_body};
use crate::usage::usage_in;
use crate::{Answer, EventFlags, EventInfo};

/// Reads the body of an answer about images. An error in a known shape is put into the answer and is no `Err`.
///
/// The event has no generated text; it carries [`EventFlags::USAGE`] if there are token counts, else
/// [`EventFlags::EMPTY`].
///
/// # Errors
/// Why the body could not be understood, in words: it is not JSON, or has no item.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    let items = value.get("data").and_then(Value::as_array).map_or(0, Vec::len);
    if items == 0 {
        return lacking("`data`", &value, body, answer);
    }
    answer.is_data = true;
    answer.usage = value.get("usage").and_then(usage_in);
    Ok(EventInfo::bare(if answer.usage.is_some() { EventFlags::USAGE } else { EventFlags::EMPTY }))
}
