//! Media of turns: those that are made, and those that a dataset names.

use std::path::{Path, PathBuf};

use tokamark_conversation::{Audio, Image, Turn, Video};
use tokamark_dataset::Named;
use tokamark_media::{AudioMaker, AudioSpec, Ffmpeg, ImageMaker, ImageSpec, Kind, Loader, Media, MediaError, Spread};
use tokamark_media::{AudioTrack, VideoMaker, VideoSpec};
use tokamark_plan::{AudioPlan, ImagePlan, MediaPlan, MediaSpread, VideoPlan};

/// Turns of one conversation have numbers so far apart, beyond any number of conversations.
const TURN_SHIFT: u32 = 40;

/// Makes media.
#[derive(Debug, Default)]
pub(crate) struct Makers {
    images: Option<(ImageMaker, u32)>,
    audios: Option<(AudioMaker, u32)>,
    videos: Option<(VideoMaker, u32)>,
}

impl Makers {
    pub(crate) fn new(plan: &MediaPlan, seed: u64) -> Result<Self, MediaError> {
        let images = plan.image.as_ref().filter(|plan| plan.batch > 0);
        let audios = plan.audio.as_ref().filter(|plan| plan.batch > 0);
        let videos = plan.video.as_ref().filter(|plan| plan.batch > 0);
        Ok(Self {
            images: images
                .map(|plan| Ok::<_, MediaError>((ImageMaker::new(image(plan), seed)?, plan.batch)))
                .transpose()?,
            audios: audios
                .map(|plan| Ok::<_, MediaError>((AudioMaker::new(audio(plan), seed)?, plan.batch)))
                .transpose()?,
            videos: videos
                .map(|plan| Ok::<_, MediaError>((VideoMaker::new(video(plan), seed, Ffmpeg::find()?)?, plan.batch)))
                .transpose()?,
        })
    }

    /// Adds the media of a conversation's turn.
    pub(crate) fn add(&self, row: u64, number: u32, turn: &mut Turn) -> Result<(), MediaError> {
        let row = row.wrapping_add(u64::from(number) << TURN_SHIFT);
        if let Some((maker, batch)) = &self.images {
            turn.images.extend(maker.images(row, *batch)?.iter().map(|media| as_image(media, None)));
        }
        if let Some((maker, batch)) = &self.audios {
            turn.audios.extend(maker.audios(row, *batch)?.iter().map(as_audio));
        }
        if let Some((maker, batch)) = &self.videos {
            turn.videos.extend(maker.videos(row, *batch)?.iter().map(as_video));
        }
        Ok(())
    }
}

fn spread(plan: MediaSpread) -> Spread {
    Spread { mean: plan.mean, stddev: plan.stddev }
}

fn image(plan: &ImagePlan) -> ImageSpec {
    use tokamark_media::{ImageFormat as To, ImageSource as ToSource, Sampling as ToSampling};
    use tokamark_plan::{ImageFormat, ImageSampling, ImageSource};
    ImageSpec {
        width: spread(plan.width),
        height: spread(plan.height),
        format: match plan.format {
            ImageFormat::Png => To::Png,
            ImageFormat::Jpeg => To::Jpeg,
            ImageFormat::Webp => To::WebP,
            ImageFormat::Random => To::Random,
        },
        source: match &plan.source {
            ImageSource::Noise => ToSource::Noise,
            ImageSource::Pictures => ToSource::Pictures,
            ImageSource::Folder(folder) => ToSource::Folder(folder.clone()),
        },
        sampling: match plan.sampling {
            ImageSampling::RandomWithReplacement => ToSampling::RandomWithReplacement,
            ImageSampling::ShuffleCycle => ToSampling::ShuffleCycle,
            ImageSampling::SequentialCycle => ToSampling::SequentialCycle,
        },
    }
}

fn audio(plan: &AudioPlan) -> AudioSpec {
    AudioSpec {
        length_s: spread(plan.length_s),
        format: match plan.format {
            tokamark_plan::AudioFormat::Wav => tokamark_media::AudioFormat::Wav,
            tokamark_plan::AudioFormat::Mp3 => tokamark_media::AudioFormat::Mp3,
        },
        depths: plan.depths.clone(),
        sample_rates_khz: plan.sample_rates_khz.clone(),
        channels: plan.channels,
    }
}

fn video(plan: &VideoPlan) -> VideoSpec {
    use tokamark_media::{Pattern, VideoFormat as To};
    use tokamark_plan::{VideoFormat, VideoPattern};
    VideoSpec {
        width: plan.width,
        height: plan.height,
        duration_s: plan.duration_s,
        fps: plan.fps,
        pattern: match plan.pattern {
            VideoPattern::MovingShapes => Pattern::MovingShapes,
            VideoPattern::GridClock => Pattern::GridClock,
            VideoPattern::Noise => Pattern::Noise,
        },
        format: match plan.format {
            VideoFormat::Webm => To::Webm,
            VideoFormat::Mp4 => To::Mp4,
        },
        encoder: plan.codec.clone(),
        audio: (plan.audio_channels > 0).then(|| AudioTrack {
            // A rate above 96 is read as Hz.
            sample_rate_khz: plan.audio_sample_rate_hz,
            channels: plan.audio_channels,
            depth: plan.audio_depth,
            encoder: plan.audio_codec.clone(),
        }),
    }
}

fn as_image(media: &Media, uuid: Option<String>) -> Image {
    Image { uri: media.uri().clone(), uuid }
}

fn as_audio(media: &Media) -> Audio {
    let seconds = media.facts().duration_s;
    match media.input_audio() {
        Some(audio) => Audio { format: audio.format.to_owned(), data: audio.data.into(), seconds },
        None => Audio { format: String::new(), data: media.uri().clone(), seconds },
    }
}

fn as_video(media: &Media) -> Video {
    Video { uri: media.uri().clone() }
}

/// Reads the media that a dataset names.
#[derive(Debug)]
pub(crate) struct References(Loader);

impl References {
    /// Relative paths are those of the working directory or, if there is no such file, start at the dataset's folder.
    pub(crate) fn new(dataset: &Path) -> Self {
        let folder = if dataset.is_dir() { Some(dataset) } else { dataset.parent() };
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        Self(Loader::new(folder.map_or_else(|| PathBuf::from("."), Path::to_owned)))
    }

    /// Puts media in the place of their names.
    pub(crate) fn load(&self, turn: &mut Turn) -> Result<(), MediaError> {
        for image in turn.images.iter_mut().filter(|image| !image.uri.is_empty()) {
            *image = as_image(&self.one(&image.uri, Kind::Image)?, image.uuid.take());
        }
        for audio in turn.audios.iter_mut().filter(|audio| audio.format.is_empty()) {
            let seconds = audio.seconds;
            *audio = as_audio(&self.one(&audio.data, Kind::Audio)?);
            audio.seconds = audio.seconds.or(seconds);
        }
        for video in turn.videos.iter_mut().filter(|video| !video.uri.is_empty()) {
            *video = as_video(&self.one(&video.uri, Kind::Video)?);
        }
        Ok(())
    }

    /// Why a piece of media is not to be had, if it is not.
    pub(crate) fn missing(&self, named: Named<'_>) -> Option<String> {
        let (reference, kind) = match named {
            Named::Image(reference) => (reference, Kind::Image),
            Named::Audio(reference) => (reference, Kind::Audio),
            Named::Video(reference) => (reference, Kind::Video),
        };
        self.one(reference, kind).err().map(|error| error.to_string())
    }

    fn one(&self, reference: &str, kind: Kind) -> Result<Media, MediaError> {
        let may_be_path = reference.len() < 4_096 && !reference.contains(':') && Path::new(reference).is_file();
        let here = if may_be_path { std::path::absolute(reference).ok() } else { None };
        match here.as_deref().and_then(Path::to_str) {
            Some(path) => self.0.load(path, kind),
            None => self.0.load(reference, kind),
        }
    }
}
