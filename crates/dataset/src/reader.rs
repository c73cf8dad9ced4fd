//! What reads a format.

use crate::DatasetError;
use crate::input::Input;
use crate::sink::Sink;

/// Reads the rows of one format. What is wrong with single rows goes to the sink, so that all of it is told.
pub(crate) trait Reader {
    /// Reads every file.
    ///
    /// # Errors
    /// A file cannot be read or does not fit as a whole.
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError>;
}
