//! Embeddings: unit vectors that depend on the prompt alone.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{Job, json_string};

/// The whole body of an answer.
pub(crate) fn embedding_body(job: &Job, dimensions: u32) -> String {
    let mut body = String::from(r#"{"object":"list","data":["#);
    for (index, prompt) in job.prompts.iter().enumerate() {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(body, r#"{comma}{{"object":"embedding","index":{index},"embedding":"#);
        let vector = vector(prompt.digest, job.dimensions.unwrap_or(dimensions));
        if job.is_base64 {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            let _ = write!(body, "\"{}\"", STANDARD.encode(bytes));
        } else {
            let numbers: Vec<_> = vector.iter().map(f32::to_string).collect();
            let _ = write!(body, "[{}]", numbers.join(","));
        }
        body.push('}');
    }
    let tokens: u64 = job.prompts.iter().map(|prompt| prompt.tokens).sum();
    let _ = write!(
        body,
        r#"],"model":{},"usage":{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}}}"#,
        json_string(&job.model)
    );
    body
}

/// A vector of length 1.
fn vector(seed: u64, dimensions: u32) -> Vec<f32> {
    let mut state = seed;
    let numbers: Vec<f32> = (0..dimensions)
        .map(|_| {
            // One step of a linear congruential generator; its upper bits are what is random.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 40) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    let norm = numbers.iter().map(|number| number * number).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    numbers.into_iter().map(|number| number / norm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_have_length_one_and_differ() {
        let (a, b) = (vector(1, 64), vector(2, 64));
        assert_eq!(a.len(), 64);
        assert_ne!(a, b);
        assert!((a.iter().map(|x| x * x).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}
