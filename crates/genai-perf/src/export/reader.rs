//! Reads a profile export request by request; the file may be much larger than memory.

use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::request::ExportRequest;
use crate::GenAiPerfError;

/// One load level of an export.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Experiment {
    /// `concurrency` or `request_rate`.
    pub mode: String,
    /// The level; whole for concurrency.
    pub value: Value,
    /// How many requests were recorded.
    pub requests: u64,
    /// The bounds of the measurement windows, wall-clock nanoseconds.
    pub window_boundaries: Vec<u64>,
}

/// An export whose requests can be read, as often as need be.
#[derive(Debug)]
pub struct ExportReader {
    path: PathBuf,
    /// perf_analyzer's version of itself.
    pub version: String,
    /// `openai`, `triton`, `triton_c_api` or `dynamic_grpc`.
    pub service_kind: String,
    /// The path that requests were sent to.
    pub endpoint: String,
    /// The load levels.
    pub experiments: Vec<Experiment>,
    /// The first request of all.
    pub first: ExportRequest,
}

/// Opens an export and reads what it says of itself, which stands at its end.
///
/// # Errors
/// The file cannot be read, is not an export, or has no requests.
pub fn read_export(path: &Path) -> Result<ExportReader, GenAiPerfError> {
    let mut head = Head::default();
    let mut first = None;
    let mut requests = 0_u64;
    let mut each = |_: usize, request: ExportRequest| {
        first = Some(request);
        false
    };
    parse(path, Walk { head: Some(&mut head), requests: &mut requests, each: &mut each, wants: true })?;
    let first = first.ok_or_else(|| GenAiPerfError::NoRequests { path: path.to_owned() })?;
    Ok(ExportReader {
        path: path.to_owned(),
        version: head.version,
        service_kind: head.service_kind,
        endpoint: head.endpoint,
        experiments: head.experiments,
        first,
    })
}

impl ExportReader {
    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Hands over every request with the number of its experiment, in the order of the file.
    ///
    /// # Errors
    /// The file cannot be read or breaks off.
    pub fn each_request(&self, mut each: impl FnMut(usize, ExportRequest)) -> Result<(), GenAiPerfError> {
        let mut requests = 0;
        let mut each = |experiment: usize, request| {
            each(experiment, request);
            true
        };
        parse(&self.path, Walk { head: None, requests: &mut requests, each: &mut each, wants: true })
    }
}

fn parse(path: &Path, mut walk: Walk<'_>) -> Result<(), GenAiPerfError> {
    let file = File::open(path).map_err(|source| GenAiPerfError::read(path, source))?;
    let mut json = serde_json::Deserializer::from_reader(BufReader::with_capacity(1 << 18, file));
    let result = (&mut json).deserialize_map(Top(&mut walk)).and_then(|()| json.end());
    result.map_err(|error| GenAiPerfError::json(path, Some(*walk.requests).filter(|number| *number > 0), error))
}

#[derive(Default)]
struct Head {
    version: String,
    service_kind: String,
    endpoint: String,
    experiments: Vec<Experiment>,
}

/// What is gathered on the way through the file.
struct Walk<'a> {
    head: Option<&'a mut Head>,
    /// Requests begun so far, for messages.
    requests: &'a mut u64,
    /// Takes a request; false if it wants no more.
    each: &'a mut dyn FnMut(usize, ExportRequest) -> bool,
    wants: bool,
}

struct Top<'w, 'a>(&'w mut Walk<'a>);

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a profile export")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        let mut has_experiments = false;
        while let Some(key) = map.next_key::<String>()? {
            match (key.as_str(), self.0.head.as_deref_mut()) {
                ("experiments", _) => {
                    has_experiments = true;
                    map.next_value_seed(Experiments(self.0))?;
                }
                ("version", Some(head)) => head.version = map.next_value()?,
                ("service_kind", Some(head)) => head.service_kind = map.next_value()?,
                ("endpoint", Some(head)) => head.endpoint = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if has_experiments { Ok(()) } else { Err(M::Error::missing_field("experiments")) }
    }
}

/// A list whose elements its own `elements` reads one by one.
macro_rules! list {
    ($name:ident, $what:literal) => {
        impl<'de> DeserializeSeed<'de> for $name<'_, '_> {
            type Value = ();

            fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
                deserializer.deserialize_seq(self)
            }
        }

        impl<'de> Visitor<'de> for $name<'_, '_> {
            type Value = ();

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(concat!("a list of ", $what))
            }

            fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
                self.elements(&mut list)
            }
        }
    };
}

struct Experiments<'w, 'a>(&'w mut Walk<'a>);
list!(Experiments, "experiments");

impl Experiments<'_, '_> {
    fn elements<'de, S: SeqAccess<'de>>(self, list: &mut S) -> Result<(), S::Error> {
        let mut number = 0;
        while list.next_element_seed(One { walk: self.0, number })?.is_some() {
            number += 1;
        }
        Ok(())
    }
}

struct One<'w, 'a> {
    walk: &'w mut Walk<'a>,
    number: usize,
}

impl<'de> DeserializeSeed<'de> for One<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("an experiment")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<(), M::Error> {
        #[derive(serde::Deserialize)]
        struct Level {
            #[serde(default)]
            mode: String,
            #[serde(default)]
            value: Value,
        }
        let mut experiment = Experiment::default();
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "experiment" => {
                    let level: Level = map.next_value()?;
                    (experiment.mode, experiment.value) = (level.mode, level.value);
                }
                "requests" => {
                    let before = *self.walk.requests;
                    map.next_value_seed(Requests { walk: self.walk, experiment: self.number })?;
                    experiment.requests = *self.walk.requests - before;
                }
                "window_boundaries" => experiment.window_boundaries = map.next_value()?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        if let Some(head) = self.walk.head.as_deref_mut() {
            head.experiments.push(experiment);
        }
        Ok(())
    }
}

struct Requests<'w, 'a> {
    walk: &'w mut Walk<'a>,
    experiment: usize,
}
list!(Requests, "requests");

impl Requests<'_, '_> {
    fn elements<'de, S: SeqAccess<'de>>(self, list: &mut S) -> Result<(), S::Error> {
        loop {
            *self.walk.requests += 1;
            let is_there = if self.walk.wants {
                match list.next_element::<ExportRequest>()? {
                    Some(request) => {
                        self.walk.wants = (self.walk.each)(self.experiment, request);
                        true
                    }
                    None => false,
                }
            } else {
                list.next_element::<IgnoredAny>()?.is_some()
            };
            if !is_there {
                *self.walk.requests -= 1;
                return Ok(());
            }
        }
    }
}
