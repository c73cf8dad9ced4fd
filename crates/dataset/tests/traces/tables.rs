//! Traces in CSV files.

use tokamark_conversation::{Conversation, History};
use tokamark_plan::{DatasetFormat, SchedulePlan, TracePlan};

use crate::made;

fn rows(found: &[Conversation]) -> Vec<(Option<f64>, u64, Option<u64>)> {
    let of = |turn: &tokamark_conversation::Turn| (turn.timestamp_ms, made::tokens(turn), turn.output_tokens);
    found.iter().flat_map(|conversation| &conversation.turns).map(of).collect()
}

#[test]
fn burst_gpt_rows_are_single_requests() {
    let content = "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n\
                   5,ChatGPT,472,18,490,Conversation log\n\
                   45.25,GPT-4,1087,0,1087,API log\n";
    let found = made::conversations(content, DatasetFormat::BurstGptTrace, TracePlan::default());
    assert_eq!(rows(&found), [(Some(5_000.0), 472, Some(18)), (Some(45_250.0), 1087, Some(1))]);
    assert!(found.iter().all(|conversation| conversation.history == History::None));
    assert_eq!(found[0].turns[0].prompt, made::prompt(472, &[], 1));
}

#[test]
fn burst_gpt_faults_name_line_and_column() {
    let content = "Timestamp,Request tokens,Response tokens\n1,0,5\nNaN,5,5\n-1,5,5\n1,x,5\n1,5,1.5\n1,5\n,5,5\n";
    assert_eq!(
        made::fault_lines(content, DatasetFormat::BurstGptTrace),
        [
            "line 2: `Request tokens` is not a whole number above 0",
            "line 3: `Timestamp` is not a number of seconds",
            "line 4: `Timestamp` is negative",
            "line 5: `Request tokens` is not a whole number above 0",
            "line 6: `Response tokens` is not a whole number",
            "line 7: has 2 cells, but there are 3 columns",
            "line 7: `Response tokens` is missing",
            "line 8: `Timestamp` is missing",
        ]
    );
}

#[test]
fn a_column_that_is_missing_is_named() {
    let error = made::try_open("Timestamp,Tokens\n1,2\n", DatasetFormat::BurstGptTrace, TracePlan::default());
    let error = error.unwrap_err().to_string();
    assert!(error.ends_with("has no column `Request tokens`; its first line has to name the columns"), "{error}");
}

#[test]
fn azure_times_are_counted_from_the_earliest() {
    let expected = [(Some(0.0), 374, Some(44)), (Some(52_070.0), 396, Some(109)), (Some(52_000.1), 9, Some(1))];
    for (first, second, third) in [
        ("2023-11-16 18:17:03.9799600", "2023-11-16 18:17:56.0499600", "2023-11-16 18:17:55.9800600"),
        ("2024-05-10 23:59:59.009930+00:00", "2024-05-11 00:00:51.079930+00:00", "2024-05-11 02:00:51.01003+02:00"),
    ] {
        let content =
            format!("TIMESTAMP,ContextTokens,GeneratedTokens\r\n{first},374,44\r\n{second},396,109\r\n{third},9,0\r\n");
        let found = made::conversations(content, DatasetFormat::AzureTrace, TracePlan::default());
        assert_eq!(rows(&found), expected);
    }
}

#[test]
fn offsets_of_an_azure_trace_count_from_its_first_row() {
    let content = "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:00:00.0,1,1\n2023-11-16 18:00:01.0,2,1\n\
                   2023-11-16 18:00:02.0,3,1\n";
    let schedule =
        SchedulePlan { start_offset_ms: Some(1_000.0), end_offset_ms: Some(1_999.0), ..SchedulePlan::default() };
    let trace = TracePlan { schedule: Some(schedule), ..TracePlan::default() };
    let found = made::conversations(content, DatasetFormat::AzureTrace, trace);
    assert_eq!(rows(&found), [(Some(1_000.0), 2, Some(1))]);
}

#[test]
fn a_time_that_is_none_is_a_fault() {
    let content = "TIMESTAMP,ContextTokens,GeneratedTokens\nyesterday,1,1\n17,1,1\n";
    assert_eq!(
        made::fault_lines(content, DatasetFormat::AzureTrace),
        [
            "line 2: `TIMESTAMP` is not a time such as 2023-11-16 18:17:03.9799600",
            "line 3: `TIMESTAMP` is a number, not a text",
        ]
    );
}
