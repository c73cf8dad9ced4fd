//! Images, audio and video in requests.

use std::path::PathBuf;

use tokamark_plan::{
    AudioFormat, AudioPlan, ImageFormat, ImagePlan, ImageSampling, ImageSource, MediaPlan, MediaSpread, VideoFormat,
    VideoPattern, VideoPlan,
};

use super::super::values::{Range, choice, decimal, whole};
use crate::args::MediaArgs;
use crate::problems::Problems;

const MOST_BATCH: u32 = 1_000;
const MOST_PIXELS: u32 = 32_768;
/// As AIPerf has it.
const DEFAULT_PIXELS: f64 = 512.0;

fn image_given(args: &MediaArgs) -> [(&'static str, bool); 7] {
    [
        ("--image-width-mean", args.image_width_mean.is_some()),
        ("--image-width-stddev", args.image_width_stddev.is_some()),
        ("--image-height-mean", args.image_height_mean.is_some()),
        ("--image-height-stddev", args.image_height_stddev.is_some()),
        ("--image-format", args.image_format.is_some()),
        ("--image-source", args.image_source.is_some()),
        ("--image-source-sampling", args.image_source_sampling.is_some()),
    ]
}

fn audio_given(args: &MediaArgs) -> [(&'static str, bool); 5] {
    [
        ("--audio-length-stddev", args.audio_length_stddev.is_some()),
        ("--audio-format", args.audio_format.is_some()),
        ("--audio-depths", !args.audio_depths.is_empty()),
        ("--audio-sample-rates", !args.audio_sample_rates.is_empty()),
        ("--audio-num-channels", args.audio_num_channels.is_some()),
    ]
}

fn video_given(args: &MediaArgs) -> [(&'static str, bool); 9] {
    [
        ("--video-duration", args.video_duration.is_some()),
        ("--video-fps", args.video_fps.is_some()),
        ("--video-synth-type", args.video_synth_type.is_some()),
        ("--video-format", args.video_format.is_some()),
        ("--video-codec", args.video_codec.is_some()),
        ("--video-audio-num-channels", args.video_audio_num_channels.is_some()),
        ("--video-audio-sample-rate", args.video_audio_sample_rate.is_some()),
        ("--video-audio-codec", args.video_audio_codec.is_some()),
        ("--video-audio-depth", args.video_audio_depth.is_some()),
    ]
}

/// Every flag of the group, and whether it is given.
pub(super) fn given(args: &MediaArgs) -> Vec<(&'static str, bool)> {
    let mut flags = vec![
        ("--image-batch-size", args.image_batch_size.is_some()),
        ("--audio-batch-size", args.audio_batch_size.is_some()),
        ("--audio-length-mean", args.audio_length_mean.is_some()),
        ("--video-batch-size", args.video_batch_size.is_some()),
        ("--video-width", args.video_width.is_some()),
        ("--video-height", args.video_height.is_some()),
    ];
    flags.extend(image_given(args));
    flags.extend(audio_given(args));
    flags.extend(video_given(args));
    flags
}

/// Media made for each request.
pub(super) fn resolve(args: &MediaArgs, problems: &mut Problems) -> MediaPlan {
    MediaPlan { image: image(args, problems), audio: audio(args, problems), video: video(args, problems) }
}

fn spread(
    (mean_flag, mean): (&str, &Option<String>),
    (stddev_flag, stddev): (&str, &Option<String>),
    default: f64,
    problems: &mut Problems,
) -> MediaSpread {
    let mean = decimal(mean_flag, mean.as_ref(), Range::NotNegative, problems);
    let stddev = decimal(stddev_flag, stddev.as_ref(), Range::NotNegative, problems).unwrap_or(0.0);
    MediaSpread { mean: mean.unwrap_or(default), stddev }
}

fn image(args: &MediaArgs, problems: &mut Problems) -> Option<ImagePlan> {
    let batch = whole("--image-batch-size", args.image_batch_size.as_ref(), 0, MOST_BATCH, problems);
    let width = spread(
        ("--image-width-mean", &args.image_width_mean),
        ("--image-width-stddev", &args.image_width_stddev),
        DEFAULT_PIXELS,
        problems,
    );
    let height = spread(
        ("--image-height-mean", &args.image_height_mean),
        ("--image-height-stddev", &args.image_height_stddev),
        DEFAULT_PIXELS,
        problems,
    );
    let format = choice(
        "--image-format",
        args.image_format.as_ref(),
        &[
            ("png", ImageFormat::Png),
            ("jpeg", ImageFormat::Jpeg),
            ("jpg", ImageFormat::Jpeg),
            ("webp", ImageFormat::Webp),
            ("random", ImageFormat::Random),
        ],
        &[],
        problems,
    );
    let sampling = choice(
        "--image-source-sampling",
        args.image_source_sampling.as_ref(),
        &[
            ("random_with_replacement", ImageSampling::RandomWithReplacement),
            ("shuffle_cycle", ImageSampling::ShuffleCycle),
            ("sequential_cycle", ImageSampling::SequentialCycle),
        ],
        &[],
        problems,
    );
    let source = match args.image_source.as_deref() {
        None | Some("noise") => ImageSource::Noise,
        Some("assets") => ImageSource::Pictures,
        Some(folder) => {
            let folder = PathBuf::from(folder);
            if !folder.is_dir() {
                let shown = folder.display();
                problems.add("--image-source", format!("`{shown}` is not noise, assets or a folder that is there"));
            }
            ImageSource::Folder(folder)
        }
    };
    let is_shaped = image_given(args).iter().any(|(_, given)| *given);
    let batch = batch.unwrap_or(u32::from(is_shaped));
    // A mean of 0 turns images off, as in both ancestors.
    let is_on = batch > 0 && width.mean > 0.0 && height.mean > 0.0;
    is_on.then_some(ImagePlan {
        batch,
        width,
        height,
        format: format.unwrap_or(ImageFormat::Jpeg),
        source,
        sampling: sampling.unwrap_or_default(),
    })
}

fn audio(args: &MediaArgs, problems: &mut Problems) -> Option<AudioPlan> {
    let batch = whole("--audio-batch-size", args.audio_batch_size.as_ref(), 0, MOST_BATCH, problems);
    let length_s = spread(
        ("--audio-length-mean", &args.audio_length_mean),
        ("--audio-length-stddev", &args.audio_length_stddev),
        0.0,
        problems,
    );
    let format = choice(
        "--audio-format",
        args.audio_format.as_ref(),
        &[("wav", AudioFormat::Wav), ("mp3", AudioFormat::Mp3)],
        &[],
        problems,
    );
    let depths: Vec<u8> = items(&args.audio_depths)
        .filter_map(|text| depth("--audio-depths", Some(&text.to_owned()), problems))
        .collect();
    let rates: Vec<f64> = items(&args.audio_sample_rates)
        .filter_map(|text| decimal("--audio-sample-rates", Some(&text.to_owned()), Range::Positive, problems))
        .collect();
    let channels = whole("--audio-num-channels", args.audio_num_channels.as_ref(), 1, 2u8, problems);
    if length_s.mean <= 0.0 {
        let wants_audio = batch.is_some_and(|batch| batch > 0) || audio_given(args).iter().any(|(_, given)| *given);
        if wants_audio && args.audio_length_mean.is_none() {
            problems.add("--audio-length-mean", "is missing: how long are the clips?");
        }
        return None;
    }
    let batch = batch.unwrap_or(1);
    (batch > 0).then(|| AudioPlan {
        batch,
        length_s,
        format: format.unwrap_or(AudioFormat::Wav),
        depths: if depths.is_empty() { vec![16] } else { depths },
        sample_rates_khz: if rates.is_empty() { vec![16.0] } else { rates },
        channels: channels.unwrap_or(1),
    })
}

/// Values given one by one, or several in one with commas.
fn items(values: &[String]) -> impl Iterator<Item = &str> {
    values.iter().flat_map(|value| value.split(',')).map(str::trim).filter(|text| !text.is_empty())
}

fn depth(flag: &str, text: Option<&String>, problems: &mut Problems) -> Option<u8> {
    choice(flag, text, &[("8", 8), ("16", 16), ("24", 24), ("32", 32)], &[], problems)
}

fn video(args: &MediaArgs, problems: &mut Problems) -> Option<VideoPlan> {
    let batch = whole("--video-batch-size", args.video_batch_size.as_ref(), 0, MOST_BATCH, problems);
    let width = whole("--video-width", args.video_width.as_ref(), 1, MOST_PIXELS, problems);
    let height = whole("--video-height", args.video_height.as_ref(), 1, MOST_PIXELS, problems);
    let duration_s = decimal("--video-duration", args.video_duration.as_ref(), Range::Positive, problems);
    let fps = whole("--video-fps", args.video_fps.as_ref(), 1, 1_000u32, problems);
    let pattern = choice(
        "--video-synth-type",
        args.video_synth_type.as_ref(),
        &[
            ("moving_shapes", VideoPattern::MovingShapes),
            ("grid_clock", VideoPattern::GridClock),
            ("noise", VideoPattern::Noise),
        ],
        &[],
        problems,
    );
    let format = choice(
        "--video-format",
        args.video_format.as_ref(),
        &[("webm", VideoFormat::Webm), ("mp4", VideoFormat::Mp4)],
        &[],
        problems,
    );
    let channels = whole("--video-audio-num-channels", args.video_audio_num_channels.as_ref(), 0, 2u8, problems);
    let rate = decimal("--video-audio-sample-rate", args.video_audio_sample_rate.as_ref(), Range::Positive, problems);
    let audio_depth = depth("--video-audio-depth", args.video_audio_depth.as_ref(), problems);
    let wants_video = batch.is_some_and(|batch| batch > 0) || video_given(args).iter().any(|(_, given)| *given);
    let (width_given, height_given) = (args.video_width.is_some(), args.video_height.is_some());
    match (width_given, height_given) {
        (true, false) => problems.add("--video-width", "needs --video-height"),
        (false, true) => problems.add("--video-height", "needs --video-width"),
        (false, false) if wants_video => {
            problems.add("--video-width", "is missing, as is --video-height: how large are the videos?");
        }
        _ => {}
    }
    let batch = batch.unwrap_or(1);
    let (width, height) = (width?, height?);
    (batch > 0).then(|| VideoPlan {
        batch,
        width,
        height,
        duration_s: duration_s.unwrap_or(1.0),
        fps: fps.unwrap_or(4),
        pattern: pattern.unwrap_or(VideoPattern::MovingShapes),
        format: format.unwrap_or(VideoFormat::Webm),
        codec: args.video_codec.clone().unwrap_or_else(|| "libvpx-vp9".to_owned()),
        audio_channels: channels.unwrap_or(0),
        audio_sample_rate_hz: rate.map_or(44_100.0, |rate| if rate <= 96.0 { rate * 1_000.0 } else { rate }),
        audio_codec: args.video_audio_codec.clone(),
        audio_depth: audio_depth.unwrap_or(16),
    })
}
