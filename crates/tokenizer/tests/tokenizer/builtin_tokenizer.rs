//! The compiled-in tokenizer gives the ids that tiktoken gives.

use proptest::prelude::*;
use tokamark_tokenizer::Tokenizer;

#[track_caller]
fn assert_same(text: &str) {
    let tokenizer = Tokenizer::builtin();
    let tokens = tokenizer.encode(text);
    assert_eq!(tokens, tiktoken_rs::o200k_base_singleton().encode_ordinary(text), "{text:?}");
    assert_eq!(tokenizer.count(text), tokens.len(), "{text:?}");
    assert_eq!(tokenizer.decode(&tokens), text);
}

#[test]
fn known_ids() {
    assert_eq!(Tokenizer::builtin().encode("hello world"), [24912, 2375]);
    assert_eq!(Tokenizer::builtin().encode(""), [0u32; 0]);
    assert_eq!(Tokenizer::builtin().decode(&[24912, 2375, u32::MAX]), "hello world");
}

#[test]
fn chosen_texts() {
    for text in [
        "The quick brown fox jumps over the lazy dog.",
        "I'll say he's sure they've won; SHE'D'VE KNOWN, it'ſ so. 'tis 'S's'",
        "fn main() {\n    println!(\"{}\", 1_000.5e-3);\n}\n\n\n",
        "if a != b && c >= d // path/to/file\r\n\r\n\t\treturn -1;\r\n",
        "naïve café Ångström ǅ ǆ ʰʷ ªº ÀÉÎ E\u{301}E\u{301}A a\u{301}\u{302}B",
        "日本語のテキストと中文文本和한국어 텍스트",
        "Русский текст, ελληνικά, עברית, العربية, हिन्दी, ไทย, ქართული",
        "😀😃👨‍👩‍👧‍👦🇩🇪👍🏽 ☃️ … — “quotes” «guillemets»",
        "12345 1 22 333 4444 ½ Ⅷ ٣٤٥ ①②③④⑤ 1,234.56",
        " \t \u{a0}\u{3000}\u{2028} x \n \n  y   ",
        "<|endoftext|><|endofprompt|><|im_start|>system",
        "\u{feff}BOM \0\u{1}\u{7f} \u{fffd} \u{10ffff}",
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
        "\u{301}\u{302}A !\u{301}abc /a //b/\n/c ?!\r\n/x",
        "CamelCaseHTTPServerURLsIOSAndМосква",
    ] {
        assert_same(text);
    }
}

#[test]
fn long_pieces() {
    for text in ["a", "Ab", "é", "=", " ", "\n", "中", "qx"] {
        assert_same(&text.repeat(700));
    }
}

#[test]
fn a_long_run_is_not_quadratic() {
    let run = "z".repeat(1_000_000);
    let tokens = Tokenizer::builtin().encode(&run);
    assert_eq!(Tokenizer::builtin().decode(&tokens), run);
}

/// Short words over an alphabet that meets every branch of the splitting pattern.
fn branchy() -> impl Strategy<Value = String> {
    let atoms = prop::sample::select(vec![
        "a", "b", "s", "t", "ll", "re", "VE", "A", "Z", "É", "ß", "ǅ", "ʰ", "中", "ª", "\u{301}", "\u{20dd}", "1", "2",
        "½", "٣", "'", "’", "/", "!", "-", "_", " ", "  ", "\t", "\n", "\r\n", "\u{a0}", "\u{3000}", "😀", "\u{200d}",
        "ſ", "the", " of", "ing", "\0",
    ]);
    prop::collection::vec(atoms, 0..40).prop_map(|atoms| atoms.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    #[test]
    fn texts_of_all_branches(text in branchy()) {
        assert_same(&text);
    }

    #[test]
    fn texts_of_any_characters(text in any::<String>()) {
        assert_same(&text);
    }

    #[test]
    fn printable_texts(text in "(\\PC|[ -~]{1,8}|[\\p{Cyrillic}\\p{Han}\\p{Arabic}\\p{Devanagari}]{1,5}|\\s){0,40}") {
        assert_same(&text);
    }
}
