//! Queries and passages of rankings endpoints.

use tokamark_plan::{EndpointKind, LengthDistribution, RankingsPlan};

use super::super::values::{Range, decimal};
use super::refuse;
use crate::args::ProfileArgs;
use crate::problems::Problems;

/// As AIPerf has them.
const DEFAULT_PASSAGES: f64 = 10.0;
const DEFAULT_PASSAGE_TOKENS: f64 = 128.0;
const DEFAULT_QUERY_TOKENS: f64 = 32.0;

/// What rankings requests hold, unless their texts come in groups; other endpoints have none.
pub(super) fn resolve(
    args: &ProfileArgs,
    endpoint: EndpointKind,
    has_groups: bool,
    problems: &mut Problems,
) -> Option<RankingsPlan> {
    let given = &args.rankings;
    let flags = [
        ("--rankings-passages-mean", given.rankings_passages_mean.is_some()),
        ("--rankings-passages-stddev", given.rankings_passages_stddev.is_some()),
        ("--rankings-passages-prompt-token-mean", given.rankings_passages_prompt_token_mean.is_some()),
        ("--rankings-passages-prompt-token-stddev", given.rankings_passages_prompt_token_stddev.is_some()),
        ("--rankings-query-prompt-token-mean", given.rankings_query_prompt_token_mean.is_some()),
        ("--rankings-query-prompt-token-stddev", given.rankings_query_prompt_token_stddev.is_some()),
    ];
    if !endpoint.ranks_passages() {
        refuse(&flags, "is for rankings endpoints", problems);
        return None;
    }
    if has_groups {
        refuse(&flags, "conflicts with `synthetic:` names, whose texts are as long as --isl says", problems);
        return None;
    }
    let mut length =
        |(mean_flag, mean): (&str, &Option<String>), (stddev_flag, stddev): (&str, &Option<String>), default| {
            let mean = decimal(mean_flag, mean.as_ref(), Range::Positive, problems).unwrap_or(default);
            let stddev = decimal(stddev_flag, stddev.as_ref(), Range::NotNegative, problems).unwrap_or(0.0);
            LengthDistribution::normal(mean, stddev)
        };
    Some(RankingsPlan {
        passages: length(
            ("--rankings-passages-mean", &given.rankings_passages_mean),
            ("--rankings-passages-stddev", &given.rankings_passages_stddev),
            DEFAULT_PASSAGES,
        ),
        passage_tokens: length(
            ("--rankings-passages-prompt-token-mean", &given.rankings_passages_prompt_token_mean),
            ("--rankings-passages-prompt-token-stddev", &given.rankings_passages_prompt_token_stddev),
            DEFAULT_PASSAGE_TOKENS,
        ),
        query_tokens: length(
            ("--rankings-query-prompt-token-mean", &given.rankings_query_prompt_token_mean),
            ("--rankings-query-prompt-token-stddev", &given.rankings_query_prompt_token_stddev),
            DEFAULT_QUERY_TOKENS,
        ),
    })
}
