//! Prompts of prose, code and texts of the user's.

use std::fs;

use tokamark_plan::Corpus;
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::{Workload, WorkloadError};

use crate::plans::{plan, synthetic_of, text_of, tokenizers, workload_of};

fn workload(corpus: Corpus, length: f64, tokenizer: &Tokenizer) -> Workload {
    let mut plan = plan(length, 0.0, 3);
    synthetic_of(&mut plan).corpus = corpus;
    workload_of(&plan, tokenizer)
}

#[test]
fn windows_are_exact_and_differ_in_where_they_begin() {
    for corpus in [Corpus::Prose, Corpus::Coding] {
        for tokenizer in tokenizers() {
            for length in [1.0, 2.0, 7.0, 100.0, 900.0] {
                let workload = workload(corpus, length, &tokenizer);
                for number in 0..3 {
                    let turn = workload.turn(number);
                    assert_eq!(tokenizer.count(&text_of(&turn)) as f64, length, "{corpus:?} {}", tokenizer.name());
                    assert_eq!(turn.input_tokens, Some(length as u64));
                }
                assert!(!workload.are_distinct());
            }
        }
        let workload = workload(corpus, 50.0, &Tokenizer::builtin());
        let starts: std::collections::HashSet<String> =
            (0..200).map(|number| text_of(&workload.turn(number))[..40].to_owned()).collect();
        assert!(starts.len() > 150, "{corpus:?} {}", starts.len());
    }
}

#[test]
fn windows_go_on_from_the_start_behind_the_end() {
    for corpus in [Corpus::Prose, Corpus::Coding] {
        let turn = workload(corpus, 128_000.0, &Tokenizer::builtin()).turn(0);
        assert_eq!(Tokenizer::builtin().count(&text_of(&turn)), 128_000);
    }
}

#[test]
fn prose_reads_like_prose() {
    let text = text_of(&workload(Corpus::Prose, 300.0, &Tokenizer::builtin()).turn(0));
    assert!(text.matches(". ").count() > 5, "{text}");
}

#[test]
fn a_text_of_the_users_takes_the_place_of_the_prose() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("corpus.txt");
    let with = |content: &[u8]| {
        fs::write(&path, content).unwrap();
        let mut plan = plan(40.0, 0.0, 3);
        synthetic_of(&mut plan).corpus = Corpus::Prose;
        synthetic_of(&mut plan).corpus_file = Some(path.clone());
        Workload::build(&plan)
    };
    let workload =
        with("\u{feff}  Ein Text,\r\n\r\n\t der Zeilen hat; 寿限無寿限無五劫の擦り切れ und Wörter.  \n".as_bytes())
            .unwrap();
    for number in 0..20 {
        let text = text_of(&workload.turn(number));
        assert_eq!(Tokenizer::builtin().count(&text), 40);
        assert!(text.contains("Text, der Zeilen hat;") && !text.contains('\n'), "{text}");
    }
    let unbroken = "寿限無寿限無五劫の擦り切れ海砂利水魚の水行末雲来末風来末 ".repeat(100);
    let workload = with(unbroken.as_bytes()).unwrap();
    assert_eq!(Tokenizer::builtin().count(&text_of(&workload.turn(0))), 40);
    assert!(matches!(with(b"\xff\xfe").unwrap_err(), WorkloadError::Corpus { reason, .. } if reason.contains("UTF-8")));
    assert!(matches!(with(b" \n ").unwrap_err(), WorkloadError::Corpus { .. }));
}
