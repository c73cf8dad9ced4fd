//! What the energy and the hardware came to, for each token and request. What cannot be divided is `None`.

/// Joules for each output token.
#[must_use]
pub fn energy_per_output_token(energy_j: f64, output_tokens: u64) -> Option<f64> {
    ratio(energy_j, float(output_tokens))
}

/// Output tokens for each joule.
#[must_use]
pub fn tokens_per_joule(energy_j: f64, output_tokens: u64) -> Option<f64> {
    ratio(float(output_tokens), energy_j)
}

/// Joules for each request.
#[must_use]
pub fn energy_per_request(energy_j: f64, requests: u64) -> Option<f64> {
    ratio(energy_j, float(requests))
}

/// The price of a million tokens, in the currency of the hourly cost: `cost / h ÷ (tokens / s × 3600 s / h ÷ 10⁶)`.
#[must_use]
pub fn cost_per_million_tokens(cost_per_hour: f64, tokens_per_second: f64) -> Option<f64> {
    ratio(cost_per_hour, tokens_per_second * 3.6e-3)
}

fn ratio(of: f64, by: f64) -> Option<f64> {
    let ratio = of / by;
    (by > 0.0 && ratio.is_finite()).then_some(ratio)
}

#[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
fn float(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_is_shared_out() {
        assert_eq!(energy_per_output_token(500.0, 2_000), Some(0.25));
        assert_eq!(tokens_per_joule(500.0, 2_000), Some(4.0));
        assert_eq!(energy_per_request(500.0, 8), Some(62.5));
    }

    #[test]
    fn an_hour_at_a_thousand_tokens_a_second_is_three_million_six_hundred_thousand() {
        assert_eq!(cost_per_million_tokens(3.6, 1_000.0), Some(1.0));
        assert_eq!(cost_per_million_tokens(0.0, 1_000.0), Some(0.0));
    }

    #[test]
    fn by_nothing_there_is_no_share() {
        assert_eq!(energy_per_output_token(500.0, 0), None);
        assert_eq!(tokens_per_joule(0.0, 5), None);
        assert_eq!(energy_per_request(f64::NAN, 5), None);
        assert_eq!(cost_per_million_tokens(2.0, 0.0), None);
        assert_eq!(cost_per_million_tokens(2.0, f64::NAN), None);
    }
}
