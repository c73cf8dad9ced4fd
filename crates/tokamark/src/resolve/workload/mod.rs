//! What requests ask.

mod dataset;
mod lengths;
mod media;
mod prefix;
mod rankings;
mod synthetic;
mod tokenizer;
mod trace;

use tokamark_plan::{CacheBust, EndpointKind, WorkloadPlan};

use super::values::whole;
use crate::args::ProfileArgs;
use crate::problems::Problems;

const MOST_BATCH: u32 = 1_000_000;

/// Flags with what they do, of which some are given.
type Given<'a> = &'a [(&'a str, bool)];

/// The workload that the flags describe.
pub(crate) fn resolve(args: &ProfileArgs, endpoint: EndpointKind, problems: &mut Problems) -> WorkloadPlan {
    let input = &args.input;
    let batch_size = whole("--batch-size", input.batch_size.as_ref(), 1, MOST_BATCH, problems).unwrap_or(1);
    if !endpoint.generates_tokens() {
        let flags = [("--osl", input.osl.is_some()), ("--osl-stddev", input.osl_stddev.is_some())];
        refuse(&flags, &format!("{} have no output tokens", endpoint.name()), problems);
    }
    if batch_size != 1 && !endpoint.takes_batches() && !endpoint.ranks_passages() {
        problems.add("--batch-size", format!("{} requests take one text", endpoint.name()));
    }
    let prefix = prefix::resolve(&args.prefix, problems);
    let cache_bust = prefix::cache_bust(&args.prefix, problems);
    let media = media::resolve(&args.media, problems);
    fits_endpoint(args, endpoint, problems);
    let source = dataset::source(args, endpoint, problems);
    WorkloadPlan {
        output_tokens: lengths::output(input, problems),
        entries: entries(args, problems),
        batch_size,
        sampling: dataset::sampling(&args.dataset, problems),
        prefix,
        cache_bust,
        media,
        tokenizer: tokenizer::resolve(input, problems),
        source,
    }
}

/// Distinct conversations: as many as were asked for, else as many as are played.
fn entries(args: &ProfileArgs, problems: &mut Problems) -> Option<u64> {
    let given = whole("--num-dataset-entries", args.input.num_dataset_entries.as_ref(), 1, u64::MAX, problems);
    let mut quiet = Problems::default();
    let played = whole("", args.conversation.num_conversations.as_ref(), 1, u64::MAX, &mut quiet);
    given.or_else(|| played.filter(|_| args.dataset.input_file.is_none() && args.dataset.public_dataset.is_none()))
}

/// Says of each flag that is given what stands against it.
fn refuse(flags: Given<'_>, message: &str, problems: &mut Problems) {
    for (flag, _) in flags.iter().filter(|(_, given)| *given) {
        problems.add(flag, message);
    }
}

/// Messages, system prompts and media are things of some dialects.
fn fits_endpoint(args: &ProfileArgs, endpoint: EndpointKind, problems: &mut Problems) {
    let prefix = &args.prefix;
    let mut quiet = Problems::default();
    if !endpoint.takes_messages() {
        let flags = [
            ("--system-prompt", prefix.system_prompt.is_some()),
            ("--system-prompt-file", prefix.system_prompt_file.is_some()),
            ("--shared-system-prompt-length", prefix.shared_system_prompt_length.is_some()),
            ("--user-context-prompt-length", prefix.user_context_prompt_length.is_some()),
            ("--isl-includes-template", args.input.isl_includes_template),
            ("--apply-chat-template", args.input.apply_chat_template),
        ];
        refuse(&flags, &format!("{} requests have no messages", endpoint.name()), problems);
        if !matches!(prefix::cache_bust(prefix, &mut quiet), CacheBust::None) {
            problems.add("--cache-bust", format!("{} requests take no marks", endpoint.name()));
        }
    }
    let media = media::resolve(&args.media, &mut quiet);
    for (flag, refused) in [
        ("--image-batch-size", media.image.is_some() && !endpoint.takes_images()),
        ("--audio-batch-size", media.audio.is_some() && !endpoint.takes_audio()),
        ("--video-batch-size", media.video.is_some() && !endpoint.takes_videos()),
    ] {
        if refused {
            problems.add(flag, format!("{} requests take no such media", endpoint.name()));
        }
    }
}
