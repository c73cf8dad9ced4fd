//! Formats of datasets, one file each.

mod content;
mod single_turn;

use tokamark_plan::DatasetFormat;

use crate::reader::Reader;

/// The reader of a format; none if it is a trace's.
pub(crate) fn reader(format: DatasetFormat) -> Option<Box<dyn Reader>> {
    Some(match format {
        DatasetFormat::SingleTurn => Box::new(single_turn::SingleTurn),
        _ => return None,
    })
}

/// What a file of a format should have, for one that has nothing.
pub(crate) fn hint(format: DatasetFormat) -> &'static str {
    match format {
        DatasetFormat::SingleTurn | DatasetFormat::RandomPool => {
            "; it needs one JSON object per line, such as {\"text\": \"…\"}"
        }
        _ => "",
    }
}
