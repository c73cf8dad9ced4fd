//! Whatever is in a file, reading it ends with conversations or with an error.

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use tokamark_dataset::analyze;
use tokamark_plan::{DatasetFormat, SynthesisPlan, TracePlan};

use crate::made;

const FORMATS: [DatasetFormat; 7] = [
    DatasetFormat::MooncakeTrace,
    DatasetFormat::BailianTrace,
    DatasetFormat::BurstGptTrace,
    DatasetFormat::AzureTrace,
    DatasetFormat::BasetenTrace,
    DatasetFormat::WekaTrace,
    DatasetFormat::Tracelab,
];

const FIELDS: [&str; 26] = [
    "session_id",
    "timestamp",
    "delay",
    "input_length",
    "output_length",
    "hash_ids",
    "text_input",
    "messages",
    "payload",
    "tools",
    "extra",
    "chat_id",
    "parent_chat_id",
    "turn",
    "type",
    "id",
    "block_size",
    "requests",
    "t",
    "in",
    "out",
    "api_time",
    "round_index",
    "input_tokens_total",
    "prefix_tokens",
    "timing_events",
];

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0u64..40).prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop::sample::select(vec!["", "n", "s", "subagent", "local", "-1", "a"]).prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((prop::sample::select(FIELDS.to_vec()), inner), 0..8).prop_map(|fields| {
                Value::Object(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
            }),
        ]
    })
}

fn plan(bits: u8) -> TracePlan {
    let synthesis = SynthesisPlan {
        prefix_len_multiplier: if bits & 1 == 0 { 1.0 } else { 1.7 },
        max_isl: (bits & 2 != 0).then_some(50),
        speedup_ratio: if bits & 4 == 0 { 1.0 } else { 0.0 },
        ..SynthesisPlan::default()
    };
    TracePlan {
        synthesis,
        trace_idle_gap_s: (bits & 8 != 0).then_some(1.0),
        block_size: Some(7),
        ..TracePlan::default()
    }
}

fn read(content: &[u8], format: DatasetFormat, bits: u8) {
    if let Ok(dataset) = made::try_open(content, format, plan(bits)) {
        for number in 0..dataset.len() {
            assert!(!dataset.conversation(number).unwrap().turns.is_empty());
        }
        analyze(&dataset, &[3], &|_| 1).unwrap();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes(content in prop::collection::vec(any::<u8>(), 0..200), bits in 0u8..16) {
        for format in FORMATS {
            read(&content, format, bits);
            let head = match format {
                DatasetFormat::BurstGptTrace => "Timestamp,Request tokens,Response tokens\n",
                DatasetFormat::AzureTrace => "TIMESTAMP,ContextTokens,GeneratedTokens\n",
                DatasetFormat::BasetenTrace => "PAR1",
                _ => "{",
            };
            read(&[head.as_bytes(), &content].concat(), format, bits);
        }
    }

    #[test]
    fn any_values_of_known_fields(
        rows in prop::collection::vec(prop::collection::vec((prop::sample::select(FIELDS.to_vec()), value()), 1..12), 1..5),
        bits in 0u8..16,
    ) {
        let rows: Vec<String> = rows
            .into_iter()
            .map(|fields| {
                let mut row = Map::new();
                // Enough to be read at all, unless the drawn fields stand in their place.
                for (name, value) in [("id", json!("a")), ("input_length", json!(9)), ("hash_ids", json!([1, 2]))] {
                    row.insert(name.to_owned(), value);
                }
                row.extend(fields.into_iter().map(|(name, value)| (name.to_owned(), value)));
                Value::Object(row).to_string()
            })
            .collect();
        for format in FORMATS {
            read(rows.join("\n").as_bytes(), format, bits);
        }
    }
}
