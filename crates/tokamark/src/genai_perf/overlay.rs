//! Flags that go over a configuration.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::args::GenaiArgs;

/// Puts every flag that was given over the configuration's; gives back their names. `-v` only adds words and is none.
pub(super) fn over(config: &mut GenaiArgs, given: &GenaiArgs, matches: &ArgMatches) -> Vec<String> {
    let mut names = Vec::new();
    let mut take = |id: &str| {
        let is_given = matches.value_source(id) == Some(ValueSource::CommandLine);
        if is_given {
            names.push(format!("--{}", id.replace('_', "-")));
        }
        is_given
    };
    macro_rules! fields {
        ($($field:ident)*) => {
            $(if take(stringify!($field)) {
                config.$field.clone_from(&given.$field);
            })*
        };
    }
    fields! {
        model model_selection_strategy backend endpoint endpoint_type server_metrics_url streaming url batch_size
        batch_size_image batch_size_audio extra_inputs goodput header input_file num_dataset_entries
        num_prefix_prompts prefix_prompt_length output_tokens_mean output_tokens_stddev
        output_tokens_mean_deterministic random_seed grpc_method synthetic_input_tokens_mean
        synthetic_input_tokens_stddev warmup_request_count image_width_mean image_width_stddev image_height_mean
        image_height_stddev image_format audio_length_mean audio_length_stddev audio_format audio_depths
        audio_sample_rates audio_num_channels concurrency request_rate fixed_schedule measurement_interval
        request_count stability_percentage num_runs num_sessions session_concurrency session_delay_ratio
        session_turn_delay_mean session_turn_delay_stddev session_turns_mean session_turns_stddev artifact_dir
        checkpoint_dir enable_checkpointing generate_plots profile_export_file cost_per_hour currency tokenizer
        tokenizer_revision tokenizer_trust_remote_code
    }
    config.verbose += given.verbose;
    names
}
