//! Encodes JSON strings, one a line, and writes their tokens as JSON, one list a line. For comparison with the libraries
//! that the tokenizers come from.
//!
//! ```text
//! encode NAME                 strings to tokens
//! encode NAME --special       the same, special tokens in the text taken as what they are
//! encode NAME --decode        lists of tokens to strings
//! encode NAME --chat          {"messages": …, "tools": …, "add_generation_prompt": …} to {"text": …, "tokens": …}
//! encode NAME --facts         what the tokenizer says of itself
//! encode NAME --time          how long loading and encoding take, in milliseconds
//! ```

use std::error::Error;
use std::io::{self, BufRead, BufWriter, Write};

use serde_json::{Value, json};
use tokamark_plan::TokenizerPlan;
use tokamark_tokenizer::{Tokenizer, resolve};

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let name = args.next().ok_or("usage: encode NAME [--special|--decode|--chat|--facts|--time]")?;
    let mode = args.next().unwrap_or_default();
    let start = tokamark_clock::now_ns();
    let plan = TokenizerPlan { name: Some(name), ..TokenizerPlan::builtin() };
    let tokenizer = resolve(&plan, &[])?.tokenizer;
    let loaded = tokamark_clock::now_ns();
    let mut out = BufWriter::new(io::stdout().lock());
    if mode == "--facts" {
        writeln!(out, "{}", facts(&tokenizer))?;
        return Ok(());
    }
    let mut bytes = 0;
    let mut tokens = 0;
    for line in io::stdin().lock().lines() {
        let input: Value = serde_json::from_str(&line?)?;
        let text = input.as_str().unwrap_or_default();
        let output = match mode.as_str() {
            "" => json!(tokenizer.encode(text)),
            "--special" => json!(tokenizer.encode_with_special(text)),
            "--decode" => json!(tokenizer.decode(&serde_json::from_value::<Vec<u32>>(input)?)),
            "--chat" => chat(&tokenizer, &input),
            "--time" => {
                bytes += text.len();
                tokens += tokenizer.count(text);
                continue;
            }
            other => return Err(format!("{other} is no mode").into()),
        };
        writeln!(out, "{output}")?;
    }
    if mode == "--time" {
        let milliseconds = |from, to| (to - from) as f64 / 1e6;
        let counted = milliseconds(loaded, tokamark_clock::now_ns());
        let times =
            json!({"load_ms": milliseconds(start, loaded), "count_ms": counted, "bytes": bytes, "tokens": tokens});
        writeln!(out, "{times}")?;
    }
    Ok(())
}

fn facts(tokenizer: &Tokenizer) -> Value {
    json!({
        "special_tokens_added": tokenizer.special_tokens_added(),
        "bos": tokenizer.bos(),
        "eos": tokenizer.eos(),
        "vocabulary_size": tokenizer.vocabulary_size(),
        "ordinary_ids": tokenizer.ordinary_ids().len(),
    })
}

fn chat(tokenizer: &Tokenizer, input: &Value) -> Value {
    let Some(template) = tokenizer.chat_template() else { return json!({"error": "no template"}) };
    let tools = input.get("tools").filter(|tools| !tools.is_null());
    let generation = input["add_generation_prompt"].as_bool().unwrap_or(true);
    match template.render(&input["messages"], tools, generation) {
        Ok(text) => json!({"text": text, "tokens": tokenizer.encode_with_special(&text)}),
        Err(error) => json!({"error": error.to_string()}),
    }
}
