//! Images, audio and video in requests.

use clap::Args;

/// Media made for each request.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Media")]
pub(crate) struct MediaArgs {
    /// Images in each request [default: 1 if any other --image flag is given, else 0]
    #[arg(long, visible_alias = "batch-size-image", value_name = "N")]
    pub(crate) image_batch_size: Option<String>,

    /// Width of images, on average [default: 512]
    #[arg(long, value_name = "PIXELS")]
    pub(crate) image_width_mean: Option<String>,

    /// Standard deviation of the width [default: 0]
    #[arg(long, value_name = "PIXELS")]
    pub(crate) image_width_stddev: Option<String>,

    /// Height of images, on average [default: 512]
    #[arg(long, value_name = "PIXELS")]
    pub(crate) image_height_mean: Option<String>,

    /// Standard deviation of the height [default: 0]
    #[arg(long, value_name = "PIXELS")]
    pub(crate) image_height_stddev: Option<String>,

    /// Encoding of images: png, jpeg, webp or random (png or jpeg) [default: jpeg]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) image_format: Option<String>,

    /// What images show: noise, assets (built-in pictures), or a folder of pictures [default: noise]
    #[arg(long, value_name = "SOURCE")]
    pub(crate) image_source: Option<String>,

    /// Order of pictures: random_with_replacement, shuffle_cycle or sequential_cycle [default: random_with_replacement]
    #[arg(long, value_name = "ORDER")]
    pub(crate) image_source_sampling: Option<String>,

    /// Audio clips in each request [default: 1 if --audio-length-mean is given, else 0]
    #[arg(long, visible_alias = "batch-size-audio", value_name = "N")]
    pub(crate) audio_batch_size: Option<String>,

    /// Length of audio clips, on average
    #[arg(long, value_name = "SECONDS")]
    pub(crate) audio_length_mean: Option<String>,

    /// Standard deviation of the length [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) audio_length_stddev: Option<String>,

    /// Encoding of audio: wav or mp3 [default: wav]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) audio_format: Option<String>,

    /// Bits of a sample, one of which is drawn for each clip: 8, 16, 24, 32 [default: 16]
    #[arg(long, value_name = "BITS", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) audio_depths: Vec<String>,

    /// Sample rates in kHz, one of which is drawn for each clip [default: 16]
    #[arg(long, value_name = "KHZ", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) audio_sample_rates: Vec<String>,

    /// 1 (mono) or 2 (stereo) [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) audio_num_channels: Option<String>,

    /// Videos in each request [default: 1 if --video-width and --video-height are given, else 0]
    #[arg(long, visible_alias = "batch-size-video", value_name = "N")]
    pub(crate) video_batch_size: Option<String>,

    /// Width of videos; they are made by ffmpeg, which must be installed
    #[arg(long, value_name = "PIXELS")]
    pub(crate) video_width: Option<String>,

    /// Height of videos
    #[arg(long, value_name = "PIXELS")]
    pub(crate) video_height: Option<String>,

    /// Length of videos [default: 1]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) video_duration: Option<String>,

    /// Frames per second [default: 4]
    #[arg(long, value_name = "N")]
    pub(crate) video_fps: Option<String>,

    /// What videos show: moving_shapes, grid_clock or noise [default: moving_shapes]
    #[arg(long, value_name = "PATTERN")]
    pub(crate) video_synth_type: Option<String>,

    /// Container of videos: webm or mp4 [default: webm]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) video_format: Option<String>,

    /// ffmpeg's name of the encoder [default: libvpx-vp9]
    #[arg(long, value_name = "NAME")]
    pub(crate) video_codec: Option<String>,

    /// Channels of the sound track of noise: 0 for none [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) video_audio_num_channels: Option<String>,

    /// Sample rate of the sound track, in Hz, or in kHz below 96 [default: 44100]
    #[arg(long, value_name = "RATE")]
    pub(crate) video_audio_sample_rate: Option<String>,

    /// ffmpeg's name of the sound track's encoder: aac, libvorbis or libopus [default: libvorbis in webm, libopus in mp4]
    #[arg(long, value_name = "NAME")]
    pub(crate) video_audio_codec: Option<String>,

    /// Bits of the sound track's samples: 8, 16, 24 or 32 [default: 16]
    #[arg(long, value_name = "BITS")]
    pub(crate) video_audio_depth: Option<String>,
}
