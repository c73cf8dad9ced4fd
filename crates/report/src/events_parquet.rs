//! `events.parquet`: one row for each event of each request.
//!
//! Requests stand in the order in which they ended, the events of each in the order of their arrival.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{Compression, Encoding, LogicalType, Repetition, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesPtr};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};
use tokamark_record::{Anchor, Event, Phase, RequestRecord, request_id};

use crate::RunContext;
use crate::error::WriteError;
use crate::files::Draft;
use crate::pieces::{Pieces, pieces};
use crate::raw_jsonl::kind_of;

/// Rows of a row group. So many are kept in memory before they are written.
pub const ROW_GROUP_ROWS: usize = 1 << 18;
/// Values that are handed to a column at a time.
const BATCH: usize = 1 << 13;

/// Counts the tokens of a piece of text, without special tokens.
pub type CountTokens<'a> = &'a dyn Fn(&str) -> u64;

/// Writes events while the run is going on. The file is there after [`finish`](Self::finish), whole, or not at all.
#[derive(Debug)]
pub struct EventsWriter {
    file: SerializedFileWriter<BufWriter<File>>,
    draft: Draft,
    path: PathBuf,
    group: Group,
}

/// What will be the next row group.
#[derive(Debug)]
struct Group {
    context: RunContext,
    /// Names of the kinds of events that were seen.
    kinds: BTreeMap<u16, ByteArray>,
    requests: Vec<Request>,
    rows: Vec<Row>,
}

#[derive(Debug)]
struct Request {
    phase: Phase,
    seq: u64,
    id: ByteArray,
}

#[derive(Debug)]
struct Row {
    /// Index in the group's requests.
    request: usize,
    index: usize,
    event: Event,
    tokens: Option<u64>,
}

/// The columns in order. Whole numbers are signed, since programs subtract them.
const COLUMNS: [(&str, Values); 15] = [
    ("phase", Values::Text(|group, row| group.request(row).map(|request| phase_name(request.phase)))),
    ("seq", Values::Rising(|group, row| group.request(row).map_or(0, |request| whole(request.seq)))),
    ("x_request_id", Values::Text(|group, row| group.request(row).map(|request| request.id.clone()))),
    ("event_index", Values::Rising(|_, row| whole(row.index as u64))),
    ("arrival_ns", Values::Rising(|group, row| since(group.context.anchor, row.event.arrival))),
    ("arrival_wall_ns", Values::Rising(|group, row| whole(group.context.anchor.wall(row.event.arrival)))),
    ("read_ns", Values::Rising(|group, row| since(group.context.anchor, row.event.read))),
    ("read_number", Values::Rising(|_, row| row.event.read_number.into())),
    ("kind", Values::Text(|group, row| group.kinds.get(&row.event.flags.bits()).cloned())),
    ("is_generated", Values::Truth(|row| row.event.flags.is_generated())),
    ("bytes", Values::Whole(|row| row.event.bytes.into())),
    ("reasoning_bytes", Values::Whole(|row| row.event.reasoning_len.into())),
    ("content_bytes", Values::Whole(|row| row.event.content_len.into())),
    ("tool_bytes", Values::Whole(|row| row.event.tool_len.into())),
    ("tokens", Values::Maybe(|row| row.tokens.map(whole))),
];

/// How a column's values come from a row, and how they are stored.
#[derive(Clone, Copy)]
enum Values {
    Text(fn(&Group, &Row) -> Option<ByteArray>),
    /// Each differs little from the one before.
    Rising(fn(&Group, &Row) -> i64),
    /// Few different ones.
    Whole(fn(&Row) -> i64),
    Maybe(fn(&Row) -> Option<i64>),
    Truth(fn(&Row) -> bool),
}

impl EventsWriter {
    /// Starts the file anew, beside its place.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path, context: RunContext) -> Result<Self, WriteError> {
        let (draft, file) = Draft::create(path)?;
        let properties = properties(&context);
        let file = schema()
            .and_then(|schema| SerializedFileWriter::new(file, schema, properties))
            .map_err(|error| failed(path, error))?;
        let group = Group { context, kinds: BTreeMap::new(), requests: Vec::new(), rows: Vec::new() };
        Ok(Self { file, draft, path: path.to_owned(), group })
    }

    /// Appends the events of a request. Tokens are counted on the text of each event alone, so that their sum can differ
    /// from the count on the whole text; without `count` they are null.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, record: &RequestRecord, count: Option<CountTokens<'_>>) -> Result<(), WriteError> {
        if record.events.is_empty() {
            return Ok(());
        }
        self.group.begin(record);
        for (index, (event, pieces)) in pieces(record).enumerate() {
            if self.group.rows.len() >= ROW_GROUP_ROWS {
                self.write_group()?;
                self.group.begin(record);
            }
            self.group.push(index, event, count.map(|count| tokens(pieces, count)));
        }
        Ok(())
    }

    /// Writes what is left, and puts the file into its place.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.write_group()?;
        let mut file = self.file.into_inner().map_err(|error| failed(&self.path, error))?;
        file.flush().map_err(|source| WriteError::new(&self.path, "written", source))?;
        drop(file);
        self.draft.place()
    }

    fn write_group(&mut self) -> Result<(), WriteError> {
        if !self.group.rows.is_empty() {
            write(&mut self.file, &self.group).map_err(|error| failed(&self.path, error))?;
        }
        self.group.requests.clear();
        self.group.rows.clear();
        Ok(())
    }
}

impl Group {
    fn begin(&mut self, record: &RequestRecord) {
        let id = request_id(&self.context.run_id, record.phase, record.seq);
        self.requests.push(Request { phase: record.phase, seq: record.seq, id: id.into_bytes().into() });
    }

    fn push(&mut self, index: usize, event: &Event, tokens: Option<u64>) {
        self.kinds.entry(event.flags.bits()).or_insert_with(|| kind_of(event.flags).into_bytes().into());
        self.rows.push(Row { request: self.requests.len().saturating_sub(1), index, event: *event, tokens });
    }

    fn request(&self, row: &Row) -> Option<&Request> {
        self.requests.get(row.request)
    }
}

fn tokens(pieces: Pieces<'_>, count: CountTokens<'_>) -> u64 {
    [pieces.reasoning, pieces.content, pieces.tool].into_iter().filter(|text| !text.is_empty()).map(count).sum()
}

fn schema() -> Result<TypePtr, ParquetError> {
    let field = |(name, values): (&str, Values)| {
        let (physical, logical) = match values {
            Values::Text(_) => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
            Values::Truth(_) => (Physical::BOOLEAN, None),
            Values::Rising(_) | Values::Whole(_) | Values::Maybe(_) => (Physical::INT64, None),
        };
        let is_optional = matches!(values, Values::Maybe(_));
        Type::primitive_type_builder(name, physical)
            .with_repetition(if is_optional { Repetition::OPTIONAL } else { Repetition::REQUIRED })
            .with_logical_type(logical)
            .build()
            .map(Arc::new)
    };
    let fields = COLUMNS.into_iter().map(field).collect::<Result<Vec<_>, _>>()?;
    Ok(Arc::new(Type::group_type_builder("events").with_fields(fields).build()?))
}

fn properties(context: &RunContext) -> WriterPropertiesPtr {
    let said = [
        ("run_id", context.run_id.clone()),
        ("anchor_monotonic_ns", context.anchor.monotonic_ns.to_string()),
        ("anchor_wall_ns", context.anchor.wall_ns.to_string()),
    ];
    let said = said.into_iter().map(|(key, value)| KeyValue::new(format!("tokamark.{key}"), value)).collect();
    let mut builder = WriterProperties::builder()
        .set_created_by(concat!("tokamark version ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_key_value_metadata(Some(said))
        .set_compression(Compression::SNAPPY);
    for (name, values) in COLUMNS {
        if matches!(values, Values::Rising(_)) {
            builder = builder
                .set_column_dictionary_enabled(ColumnPath::from(name), false)
                .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
    }
    Arc::new(builder.build())
}

fn write(file: &mut SerializedFileWriter<BufWriter<File>>, group: &Group) -> Result<(), ParquetError> {
    let mut row_group = file.next_row_group()?;
    for (_, values) in COLUMNS {
        let Some(mut column) = row_group.next_column()? else { break };
        for rows in group.rows.chunks(BATCH) {
            write_values(&mut column, values, group, rows)?;
        }
        column.close()?;
    }
    row_group.close()?;
    Ok(())
}

fn write_values(
    column: &mut SerializedColumnWriter<'_>,
    values: Values,
    group: &Group,
    rows: &[Row],
) -> Result<(), ParquetError> {
    match values {
        Values::Text(of) => {
            let texts: Vec<ByteArray> =
                rows.iter().map(|row| of(group, row).unwrap_or_else(|| ByteArray::from(""))).collect();
            column.typed::<ByteArrayType>().write_batch(&texts, None, None)?;
        }
        Values::Rising(of) => {
            let numbers: Vec<i64> = rows.iter().map(|row| of(group, row)).collect();
            column.typed::<Int64Type>().write_batch(&numbers, None, None)?;
        }
        Values::Whole(of) => {
            let numbers: Vec<i64> = rows.iter().map(of).collect();
            column.typed::<Int64Type>().write_batch(&numbers, None, None)?;
        }
        Values::Maybe(of) => {
            let levels: Vec<i16> = rows.iter().map(|row| i16::from(of(row).is_some())).collect();
            let numbers: Vec<i64> = rows.iter().filter_map(of).collect();
            column.typed::<Int64Type>().write_batch(&numbers, Some(&levels), None)?;
        }
        Values::Truth(of) => {
            let truths: Vec<bool> = rows.iter().map(of).collect();
            column.typed::<BoolType>().write_batch(&truths, None, None)?;
        }
    }
    Ok(())
}

fn phase_name(phase: Phase) -> ByteArray {
    ByteArray::from(match phase {
        Phase::Warmup => "warmup",
        Phase::Profiling => "profiling",
    })
}

fn whole(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Nanoseconds since the start of the run.
fn since(anchor: Anchor, at: u64) -> i64 {
    whole(at).saturating_sub(whole(anchor.monotonic_ns))
}

fn failed(path: &Path, error: ParquetError) -> WriteError {
    let source = match error {
        ParquetError::External(cause) => match cause.downcast::<std::io::Error>() {
            Ok(source) => *source,
            Err(cause) => std::io::Error::other(cause),
        },
        other => std::io::Error::other(other),
    };
    WriteError::new(path, "written", source)
}
