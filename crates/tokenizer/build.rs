//! Writes the compiled-in vocabulary (o200k) and the character classes of its splitting pattern in a form that is used
//! in place, so that nothing is built when the program starts; and OpenAI's other vocabularies in a form that is small.

use std::collections::HashMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::{env, fs};

use regex_syntax::hir::{Class, HirKind};

#[path = "src/builtin/format.rs"]
mod format;

use format::{BLOCK, RANK_BITS, SLOT_BITS, class, fingerprint, first_slot, hash};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/builtin/format.rs");
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("no OUT_DIR")?);
    write_vocabulary(&out)?;
    write_encoding(&tiktoken_rs::cl100k_base()?, 100_256, &out.join("cl100k.bin"))?;
    // The rank 50256 is a special token, and so a gap.
    write_encoding(&tiktoken_rs::p50k_base()?, 50_281, &out.join("p50k.bin"))?;
    write_classes(&out)?;
    Ok(())
}

/// `o200k_bytes.bin`: all tokens in the order of their ranks; `o200k_ends.bin`: where each of them ends;
/// `o200k_index.bin`: the hash table from bytes to ranks.
fn write_vocabulary(out: &Path) -> Result<(), Box<dyn Error>> {
    let vocabulary = tiktoken_rs::o200k_base()?;
    let mut index = vec![0u32; 1 << SLOT_BITS];
    let mut bytes = Vec::new();
    let mut ends = Vec::new();
    // Ordinary ranks are dense; the first gap is where the special tokens begin.
    for rank in 0.. {
        let Ok(token) = vocabulary.decode_bytes(&[rank]) else { break };
        let hash = hash(&token);
        let mut slot = first_slot(hash);
        while index[slot] != 0 {
            slot = (slot + 1) % index.len();
        }
        index[slot] = fingerprint(hash) << RANK_BITS | (rank + 1);
        bytes.extend_from_slice(&token);
        ends.push(u32::try_from(bytes.len())?);
    }
    fs::write(out.join("o200k_index.bin"), little_endian(&index))?;
    fs::write(out.join("o200k_ends.bin"), little_endian(&ends))?;
    fs::write(out.join("o200k_bytes.bin"), bytes)?;
    Ok(())
}

/// The tokens in the order of their ranks, each after its length in one byte; a special token is written as a gap.
fn write_encoding(encoding: &tiktoken_rs::CoreBPE, ranks: u32, file: &Path) -> Result<(), Box<dyn Error>> {
    let special = encoding.special_tokens();
    let mut bytes = Vec::new();
    for rank in 0..ranks {
        let mut token = encoding.decode_bytes(&[rank])?;
        if std::str::from_utf8(&token).is_ok_and(|text| special.contains(text)) {
            token.clear();
        }
        bytes.push(u8::try_from(token.len())?);
        bytes.extend_from_slice(&token);
    }
    fs::write(file, bytes)?;
    Ok(())
}

/// `class_blocks.bin`: distinct blocks of classes; `class_index.bin`: the block of each run of `BLOCK` characters.
fn write_classes(out: &Path) -> Result<(), Box<dyn Error>> {
    let mut classes = vec![class::OTHER; 0x11_0000];
    for (pattern, class) in [
        (r"[\p{Lu}\p{Lt}]", class::UPPER),
        (r"\p{Ll}", class::LOWER),
        (r"[\p{Lm}\p{Lo}]", class::CASELESS),
        (r"\p{M}", class::MARK),
        (r"\p{N}", class::NUMBER),
        (r"\s", class::SPACE),
        (r"[\r\n]", class::NEWLINE),
    ] {
        let HirKind::Class(Class::Unicode(ranges)) = regex_syntax::parse(pattern)?.into_kind() else {
            return Err("not a class of characters".into());
        };
        for range in ranges.ranges() {
            classes[range.start() as usize..=range.end() as usize].fill(class);
        }
    }
    let mut blocks = Vec::new();
    let mut index = Vec::new();
    let mut known = HashMap::new();
    for block in classes.chunks(BLOCK) {
        let number = match known.get(block) {
            Some(&number) => number,
            None => {
                let number = u16::try_from(known.len())?;
                known.insert(block, number);
                blocks.extend_from_slice(block);
                number
            }
        };
        index.extend_from_slice(&number.to_le_bytes());
    }
    fs::write(out.join("class_blocks.bin"), blocks)?;
    fs::write(out.join("class_index.bin"), index)?;
    Ok(())
}

fn little_endian(values: &[u32]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}
