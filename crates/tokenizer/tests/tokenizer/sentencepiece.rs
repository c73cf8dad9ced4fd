//! Sentencepiece models: what their library does, on models small enough to follow by hand.

use std::fs;

use tokamark_tokenizer::{Tokenizer, TokenizerError};

/// Types of pieces.
const NORMAL: u8 = 1;
const UNKNOWN: u8 = 2;
const CONTROL: u8 = 3;
const USER_DEFINED: u8 = 4;
const UNUSED: u8 = 5;
const BYTE: u8 = 6;

const UNIGRAM: u8 = 1;
const BPE: u8 = 2;

/// A model file in the making.
struct Model {
    pieces: Vec<(String, f32, u8)>,
    trainer: Vec<u8>,
    normalizer: Vec<u8>,
}

fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn bytes_field(number: u64, content: &[u8], out: &mut Vec<u8>) {
    varint(number << 3 | 2, out);
    varint(content.len() as u64, out);
    out.extend_from_slice(content);
}

fn flag(number: u64, value: u64, out: &mut Vec<u8>) {
    varint(number << 3, out);
    varint(value, out);
}

impl Model {
    /// `<unk>`, `<s>` and `</s>` are the numbers 0 to 2.
    fn new(method: u8, pieces: &[(&str, f32, u8)]) -> Self {
        let reserved = [("<unk>", 0.0, UNKNOWN), ("<s>", 0.0, CONTROL), ("</s>", 0.0, CONTROL)];
        let pieces = reserved.iter().chain(pieces).map(|&(text, score, kind)| (text.to_owned(), score, kind)).collect();
        let mut trainer = Vec::new();
        flag(3, u64::from(method), &mut trainer);
        Self { pieces, trainer, normalizer: Vec::new() }
    }

    /// Appends the 256 byte pieces.
    fn with_bytes(mut self) -> Self {
        self.pieces.extend((0..=255u8).map(|byte| (format!("<0x{byte:02X}>"), 0.0, BYTE)));
        flag(35, 1, &mut self.trainer);
        self
    }

    /// 3: a space before the text, 4: white space is put in order.
    fn without(mut self, normalization: u64) -> Self {
        flag(normalization, 0, &mut self.normalizer);
        self
    }

    fn with_charsmap(mut self, charsmap: &[u8]) -> Self {
        bytes_field(2, charsmap, &mut self.normalizer);
        self
    }

    fn content(&self) -> Vec<u8> {
        let mut out = Vec::new();
        for (text, score, kind) in &self.pieces {
            let mut piece = Vec::new();
            bytes_field(1, text.as_bytes(), &mut piece);
            varint(2 << 3 | 5, &mut piece);
            piece.extend_from_slice(&score.to_le_bytes());
            flag(3, u64::from(*kind), &mut piece);
            bytes_field(1, &piece, &mut out);
        }
        bytes_field(2, &self.trainer, &mut out);
        bytes_field(3, &self.normalizer, &mut out);
        out
    }

    fn load(&self, config: &str) -> Result<Tokenizer, TokenizerError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("tokenizer.model");
        fs::write(&file, self.content()).unwrap();
        if !config.is_empty() {
            fs::write(folder.path().join("tokenizer_config.json"), config).unwrap();
        }
        Tokenizer::from_file("m", &file)
    }

    fn tokenizer(&self) -> Tokenizer {
        self.load("").unwrap()
    }
}

#[test]
fn pairs_of_the_best_score_are_merged_first() {
    let model = Model::new(
        BPE,
        &[
            ("▁", -9.0, NORMAL),  // 3
            ("a", -9.0, NORMAL),  // 4
            ("b", -9.0, NORMAL),  // 5
            ("ab", -2.0, NORMAL), // 6
            ("ba", -1.0, NORMAL), // 7
            ("▁a", -3.0, NORMAL), // 8
        ],
    );
    let tokenizer = model.tokenizer();
    // ▁ a b a b: `ba` goes first, then `▁a`.
    assert_eq!(tokenizer.encode("abab"), [8, 7, 5]);
    assert_eq!(tokenizer.encode("bab"), [3, 7, 5]);
    assert_eq!(tokenizer.decode(&[8, 7, 5]), "abab");
    assert_eq!(tokenizer.count("abab"), 3);
    assert_eq!(tokenizer.encode(""), [0u32; 0]);
}

#[test]
fn of_equal_pairs_the_left_one_is_merged_first() {
    let model = Model::new(BPE, &[("▁", -9.0, NORMAL), ("a", -9.0, NORMAL), ("aa", -1.0, NORMAL)]);
    assert_eq!(model.tokenizer().encode("aaa"), [3, 5, 4]);
}

#[test]
fn unknown_characters_become_bytes_or_one_unknown_piece() {
    let pieces = [("▁", -1.0, NORMAL), ("a", -1.0, NORMAL)];
    let plain = Model::new(BPE, &pieces).tokenizer();
    assert_eq!(plain.encode("aéüa"), [3, 4, 0, 4]);
    assert_eq!(plain.decode(&[3, 4, 0, 4]), "a \u{2047} a");
    let bytes = Model::new(BPE, &pieces).with_bytes().tokenizer();
    // é is C3 A9; the first byte piece is the number 5.
    assert_eq!(bytes.encode("aé"), [3, 4, 5 + 0xc3, 5 + 0xa9]);
    assert_eq!(bytes.decode(&[3, 4, 5 + 0xc3, 5 + 0xa9]), "aé");
    // Each byte that is no part of a character is shown for itself.
    assert_eq!(bytes.decode(&[5 + 0xe4, 5 + 0xb8, 4]), "\u{fffd}\u{fffd}a");
}

#[test]
fn pieces_that_may_not_be_used_are_taken_apart() {
    let model = Model::new(
        BPE,
        &[
            ("▁", -9.0, NORMAL),   // 3
            ("a", -9.0, NORMAL),   // 4
            ("b", -9.0, NORMAL),   // 5
            ("ab", -1.0, UNUSED),  // 6
            ("aba", -2.0, NORMAL), // 7
        ],
    );
    assert_eq!(model.tokenizer().encode("ab"), [3, 4, 5]);
    assert_eq!(model.tokenizer().encode("aba"), [3, 7]);
}

#[test]
fn user_defined_symbols_are_never_cut() {
    let pieces = [
        ("▁", -1.0, NORMAL),
        ("a", -1.0, NORMAL),
        ("ax", -1.0, NORMAL),
        ("x", -1.0, NORMAL),
        ("xy", 0.0, USER_DEFINED),
    ];
    for method in [BPE, UNIGRAM] {
        assert_eq!(Model::new(method, &pieces).tokenizer().encode("axya"), [3, 4, 7, 4], "{method}");
    }
}

#[test]
fn the_likeliest_pieces_are_chosen() {
    let model = Model::new(
        UNIGRAM,
        &[
            ("▁", -3.0, NORMAL),  // 3
            ("a", -2.0, NORMAL),  // 4
            ("b", -2.0, NORMAL),  // 5
            ("ab", -3.5, NORMAL), // 6
            ("▁a", -2.5, NORMAL), // 7
            ("bb", -5.0, NORMAL), // 8
        ],
    );
    let tokenizer = model.tokenizer();
    // ▁a b = -4.5 beats ▁ ab = -6.5 and ▁ a b = -7.
    assert_eq!(tokenizer.encode("ab"), [7, 5]);
    // b b = -4 beats bb = -5.
    assert_eq!(tokenizer.encode("abb"), [7, 5, 5]);
    // Unknown characters in a row are one.
    assert_eq!(tokenizer.encode("azzb"), [7, 0, 5]);
}

#[test]
fn white_space_is_put_in_order_where_the_model_says_so() {
    let pieces = [("▁", -1.0, NORMAL), ("a", -1.0, NORMAL)];
    assert_eq!(Model::new(BPE, &pieces).tokenizer().encode("  a   a "), [3, 4, 3, 4]);
    assert_eq!(Model::new(BPE, &pieces).without(4).tokenizer().encode(" a  a "), [3, 3, 4, 3, 3, 4, 3]);
    let bare = Model::new(BPE, &pieces).without(4).without(3).tokenizer();
    assert_eq!(bare.encode(" a"), [3, 4]);
    assert_eq!(bare.decode(&[3, 4]), " a");
    assert_eq!(Model::new(BPE, &pieces).without(4).tokenizer().decode(&[3, 3, 4]), " a");
    assert_eq!(Model::new(BPE, &pieces).tokenizer().encode("   "), [0u32; 0]);
}

/// Rules that turn `A` into `a`, as a double array: the root at 0 leads by 0x41 to unit 0x41 ^ 1, whose leaf is at its
/// offset.
fn charsmap() -> Vec<u8> {
    let mut units = vec![0u32; 256];
    let offset = |offset: u32| offset << 10;
    units[0] = offset(1);
    // The label in the low byte, a leaf, and the leaf at 0x40 ^ 2.
    units[1 ^ 0x41] = 0x41 | 1 << 8 | offset(2);
    units[1 ^ 0x41 ^ 2] = 1 << 31;
    let mut out = (units.len() as u32 * 4).to_le_bytes().to_vec();
    out.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
    out.extend_from_slice(b"a\0");
    out
}

#[test]
fn rules_of_normalization_are_applied() {
    let pieces = [("▁", -1.0, NORMAL), ("a", -1.0, NORMAL), ("B", -1.0, NORMAL)];
    let tokenizer = Model::new(BPE, &pieces).with_charsmap(&charsmap()).tokenizer();
    assert_eq!(tokenizer.encode("AaB"), [3, 4, 4, 5]);
    let cut = Model::new(BPE, &pieces).with_charsmap(&charsmap()[..100]).load("").unwrap_err();
    assert!(cut.to_string().contains("its normalization rules are cut off"), "{cut}");
}

#[test]
fn special_tokens_are_parsed_only_where_asked() {
    let pieces = [("▁", -1.0, NORMAL), ("<", -1.0, NORMAL), ("s", -1.0, NORMAL), (">", -1.0, NORMAL)];
    let tokenizer = Model::new(BPE, &pieces).tokenizer();
    assert_eq!(tokenizer.encode("<s>"), [3, 4, 5, 6]);
    assert_eq!(tokenizer.encode_with_special("<s>s</s>"), [1, 3, 5, 2]);
    assert_eq!(tokenizer.decode(&[1, 3, 5, 2]), "s");
    assert_eq!((tokenizer.bos(), tokenizer.eos(), tokenizer.special_tokens_added()), (Some(1), Some(2), 1));
    assert_eq!((tokenizer.vocabulary_size(), tokenizer.ordinary_ids()), (7, vec![3, 4, 5, 6]));
    assert!(
        tokenizer.is_special(0) && tokenizer.is_special(1) && !tokenizer.is_special(3) && !tokenizer.is_special(99)
    );
}

#[test]
fn the_configuration_says_what_is_added() {
    let model = Model::new(UNIGRAM, &[("▁", -1.0, NORMAL), ("a", -1.0, NORMAL)]);
    for (config, added) in [
        ("", 0),
        (r#"{"tokenizer_class": "T5Tokenizer"}"#, 1),
        (r#"{"tokenizer_class": "LlamaTokenizerFast", "add_eos_token": true}"#, 2),
        (r#"{"tokenizer_class": "LlamaTokenizer", "add_bos_token": false}"#, 0),
        (r#"{"tokenizer_class": "XLMRobertaTokenizer"}"#, 2),
    ] {
        assert_eq!(model.load(config).unwrap().special_tokens_added(), added, "{config}");
    }
    let config = r#"{"legacy": false, "added_tokens_decoder": {"5": {"content": "<x>", "special": true}}}"#;
    // The space goes before the text alone, not after each special token.
    assert_eq!(model.load(config).unwrap().encode_with_special("a<x>a"), [3, 4, 5, 4]);
    assert_eq!(model.load("").unwrap().encode_with_special("a</s>a"), [3, 4, 2, 3, 4]);
}

#[test]
fn broken_models_are_refused() {
    let good = Model::new(BPE, &[("a", -1.0, NORMAL)]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.model");
    let content = good.content();
    for end in 1..content.len() {
        fs::write(&file, &content[..end]).unwrap();
        // Cut at a border of fields it may still be a model; it must not fail otherwise.
        let _ = Tokenizer::from_file("m", &file).map(|tokenizer| tokenizer.encode("a b"));
    }
    for (model, reason) in [
        (Model::new(3, &[]), "neither unigram (1) nor BPE (2)"),
        (Model::new(BPE, &[("x", 0.0, 9)]), "the piece `x` is of no known type"),
        (
            Model { pieces: vec![("a".into(), 0.0, NORMAL)], trainer: vec![], normalizer: vec![] },
            "it has no unknown piece",
        ),
    ] {
        let error = model.load("").unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
    let mut model = good;
    flag(35, 1, &mut model.trainer);
    assert!(model.load("").unwrap_err().to_string().contains("it has no piece <0x00>"));
}

#[test]
fn a_long_run_is_not_quadratic() {
    let pieces = [("▁", -9.0, NORMAL), ("a", -9.0, NORMAL), ("aa", -2.0, NORMAL), ("aaaa", -1.0, NORMAL)];
    let text = "a".repeat(400_000);
    assert_eq!(Model::new(BPE, &pieces).tokenizer().count(&text), 100_001);
    assert_eq!(Model::new(UNIGRAM, &pieces).tokenizer().count(&text), 100_001);
}
