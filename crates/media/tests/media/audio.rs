//! Sounds are read back with `hound` (WAV) and with the decoder of `rusty_mp3`.

use std::collections::HashSet;
use std::io::Cursor;

use hound::{SampleFormat, WavReader};
use proptest::prelude::*;
use tokamark_media::{AudioFormat, AudioMaker, AudioSpec, Format, Media, Spread};

use crate::sha256;

fn spec(length_s: f64) -> AudioSpec {
    AudioSpec {
        length_s: Spread::fixed(length_s),
        format: AudioFormat::Wav,
        depths: vec![16],
        sample_rates_khz: vec![16.0],
        channels: 1,
    }
}

fn one(spec: AudioSpec, number: u64) -> Media {
    AudioMaker::new(spec, 1).unwrap().audio(number).unwrap()
}

/// The samples of a WAV in parts of full scale.
fn samples(bytes: &[u8]) -> Vec<f64> {
    let reader = WavReader::new(Cursor::new(bytes)).unwrap();
    let full_scale = 2f64.powi(i32::from(reader.spec().bits_per_sample) - 1) - 1.0;
    reader.into_samples::<i32>().map(|sample| f64::from(sample.unwrap()) / full_scale).collect()
}

#[test]
fn each_depth_rate_and_channel_count_is_read_back() {
    for depth in [8, 16, 24, 32] {
        for (khz, rate) in [(8.0, 8_000), (11.025, 11_025), (44_100.0, 44_100), (96.0, 96_000)] {
            for channels in [1, 2] {
                let spec = AudioSpec { depths: vec![depth], sample_rates_khz: vec![khz], channels, ..spec(0.25) };
                let media = one(spec, 0);
                let bytes = media.bytes().unwrap();
                let reader = WavReader::new(Cursor::new(&bytes)).unwrap();
                let read = reader.spec();
                assert_eq!(
                    (read.bits_per_sample, read.sample_rate, read.channels),
                    (depth.into(), rate, channels.into())
                );
                assert_eq!(read.sample_format, SampleFormat::Int);
                let frames = (0.25 * f64::from(rate)).round();
                assert_eq!(f64::from(reader.duration()), frames);
                assert_eq!(media.facts().duration_s, Some(frames / f64::from(rate)));
                let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
                assert_eq!((number(4), number(40)), (bytes.len() - 8, bytes.len() - 44 - number(40) % 2));
                assert_eq!(number(40), frames as usize * usize::from(channels) * usize::from(depth / 8));
            }
        }
    }
}

#[test]
fn the_noise_is_gaussian_at_each_depth_and_the_channels_differ() {
    for depth in [8, 16, 24, 32] {
        let media = one(AudioSpec { depths: vec![depth], channels: 2, ..spec(2.0) }, 3);
        let samples = samples(&media.bytes().unwrap());
        assert_eq!(samples.len(), 64_000);
        let mean = samples.iter().sum::<f64>() / 64e3;
        let deviation = (samples.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 64e3).sqrt();
        let within_one = samples.iter().filter(|x| x.abs() < 0.25).count() as f64 / 64e3;
        // Five standard errors each.
        assert!(mean.abs() < 0.005, "{depth}: {mean}");
        assert!((deviation - 0.25).abs() < 0.0035, "{depth}: {deviation}");
        assert!((within_one - 0.6827).abs() < 0.012, "{depth}: {within_one}");
        let product = samples.chunks(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 32e3;
        assert!(product.abs() < 0.0018, "{depth}: {product}");
    }
}

#[test]
fn the_same_seed_and_number_give_the_same_bytes() {
    let make = |seed, number| AudioMaker::new(spec(0.1), seed).unwrap().audio(number).unwrap().bytes().unwrap();
    assert_eq!(make(1, 5), make(1, 5));
    assert!(make(1, 5) != make(1, 6) && make(1, 5) != make(2, 5));
    assert_eq!(sha256(&make(42, 0)), "a713530df8716802e27c9148b5fd797fa8ca5b42500a5c0902b4e0e6a8563018");
}

#[test]
fn depths_and_rates_are_drawn_evenly() {
    let spec = AudioSpec { depths: vec![8, 16, 24, 32], sample_rates_khz: vec![8.0, 16.0], ..spec(0.01) };
    let maker = AudioMaker::new(spec, 6).unwrap();
    let mut counts = std::collections::HashMap::new();
    for number in 0..8_000 {
        let bytes = maker.audio(number).unwrap().bytes().unwrap();
        *counts.entry((bytes[34], u32::from_le_bytes(bytes[24..28].try_into().unwrap()))).or_insert(0u32) += 1;
    }
    // Five standard deviations of a binomial with n = 8,000 and p = 1/8.
    assert_eq!(counts.len(), 8);
    assert!(counts.values().all(|count| count.abs_diff(1_000) < 148), "{counts:?}");
}

#[test]
fn lengths_have_the_mean_and_deviation_of_their_distribution() {
    let spec = AudioSpec {
        length_s: Spread { mean: 0.05, stddev: 0.004 },
        depths: vec![8],
        sample_rates_khz: vec![1.0],
        ..spec(1.0)
    };
    let maker = AudioMaker::new(spec, 2).unwrap();
    let lengths: Vec<f64> =
        (0..10_000).map(|number| maker.audio(number).unwrap().facts().duration_s.unwrap()).collect();
    let mean = lengths.iter().sum::<f64>() / 1e4;
    let variance = lengths.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e4;
    assert!((mean - 0.05).abs() < 0.0002, "{mean}");
    // Whole samples of 1 ms add 1/12 ms².
    assert!((variance / (16e-6 + 1e-6 / 12.0) - 1.0).abs() < 0.07, "{variance}");
}

#[test]
fn no_sound_is_shorter_than_a_hundredth_of_a_second() {
    let spec = AudioSpec { length_s: Spread { mean: 0.01, stddev: 5.0 }, sample_rates_khz: vec![1.0], ..spec(1.0) };
    let maker = AudioMaker::new(spec, 2).unwrap();
    let lengths: Vec<f64> = (0..50).map(|number| maker.audio(number).unwrap().facts().duration_s.unwrap()).collect();
    assert!(lengths.contains(&0.01) && lengths.iter().all(|&length| length >= 0.01), "{lengths:?}");
}

#[test]
fn an_mp3_holds_the_sound() {
    for (khz, rate) in [(8.0, 8_000), (22.05, 22_050), (44.1, 44_100)] {
        for channels in [1u8, 2] {
            let spec = AudioSpec { format: AudioFormat::Mp3, sample_rates_khz: vec![khz], channels, ..spec(1.0) };
            let media = one(spec, 0);
            let bytes = media.bytes().unwrap();
            assert_eq!((media.format(), Format::of_bytes(&bytes)), (Some(Format::Mp3), Some(Format::Mp3)));
            assert_eq!((media.mime(), media.input_audio().unwrap().format), (Some("audio/mpeg"), "mp3"));
            // 64 or 128 kbit/s a channel for a second, and the frames that start and end the stream.
            let expected = if rate < 32_000 { 8_000 } else { 16_000 } * usize::from(channels);
            assert!((expected..expected * 5 / 4).contains(&bytes.len()), "{} {expected}", bytes.len());
            let (frames, decoded) = decode_mp3(&bytes, rate, channels.into());
            assert!(frames >= rate as usize && frames < rate as usize + 5 * 1_152, "{frames}");
            // The power of the noise is 0.25² a sample.
            let share = decoded.iter().map(|x| x * x).sum::<f64>() / f64::from(rate) / f64::from(channels) / 0.0625;
            assert!((0.85..1.1).contains(&share), "{rate} {channels}: {share}");
        }
    }
}

/// The frames of an MP3 and their samples.
fn decode_mp3(bytes: &[u8], rate: u32, channels: u16) -> (usize, Vec<f64>) {
    let mut decoder = rusty_mp3::Mp3Decoder::new();
    decoder.push(bytes);
    decoder.flush();
    let mut decoded = Vec::new();
    while let Ok(chunk) = decoder.next_frame() {
        assert_eq!((chunk.sample_rate, chunk.channels), (rate, channels));
        decoded.extend(chunk.samples.iter().map(|&sample| f64::from(sample)));
    }
    (decoded.len() / usize::from(channels), decoded)
}

#[test]
fn mp3_and_wav_of_a_number_are_the_same_sound() {
    let spec = AudioSpec { sample_rates_khz: vec![44.1], ..spec(0.2) };
    let original = samples(&one(spec.clone(), 0).bytes().unwrap());
    let mp3 = one(AudioSpec { format: AudioFormat::Mp3, ..spec }, 0);
    let (_, decoded) = decode_mp3(&mp3.bytes().unwrap(), 44_100, 1);
    // The codec delays the sound by an unknown number of samples; at the right one the two agree.
    let agreement = |delay: usize| {
        let pairs = || original[3_000..6_000].iter().zip(&decoded[3_000 + delay..]);
        let sum = |of: fn((&f64, &f64)) -> f64| pairs().map(of).sum::<f64>();
        sum(|(x, y)| x * y) / (sum(|(x, _)| x * x) * sum(|(_, y)| y * y)).sqrt()
    };
    let best = (0..3_000).map(agreement).fold(0.0, f64::max);
    assert!(best > 0.8, "{best}");
}

#[test]
fn wav_goes_into_an_input_audio() {
    let media = one(spec(0.02), 0);
    let part = media.input_audio().unwrap();
    assert_eq!(part.format, "wav");
    assert_eq!(format!("data:audio/wav;base64,{}", part.data), **media.uri());
}

#[test]
fn the_rows_of_a_batch_follow_one_another() {
    let maker = AudioMaker::new(spec(0.02), 1).unwrap();
    let singles: Vec<Media> = (4..6).map(|number| maker.audio(number).unwrap()).collect();
    assert_eq!(maker.audios(2, 2).unwrap(), singles);
    let all: HashSet<String> =
        (0..5).flat_map(|row| maker.audios(row, 2).unwrap()).map(|m| m.uri().to_string()).collect();
    assert_eq!(all.len(), 10);
}

#[test]
fn impossible_sounds_are_refused() {
    let fault = |spec: AudioSpec| AudioMaker::new(spec, 1).unwrap_err().to_string();
    for length in [0.0, 0.009, -1.0, 3_601.0, f64::NAN] {
        assert!(fault(spec(length)).starts_with("the audio length cannot be"), "{length}");
    }
    let stddev = Spread { mean: 1.0, stddev: -1.0 };
    assert!(fault(AudioSpec { length_s: stddev, ..spec(1.0) }).starts_with("the audio length's standard deviation"));
    assert_eq!(
        fault(AudioSpec { depths: vec![16, 12], ..spec(1.0) }),
        "the audio depth cannot be 12 bits; give 8, 16, 24 or 32"
    );
    assert!(fault(AudioSpec { depths: vec![], ..spec(1.0) }).contains("audio depths cannot be empty"));
    assert!(fault(AudioSpec { sample_rates_khz: vec![], ..spec(1.0) }).contains("sample rates cannot be empty"));
    assert!(fault(AudioSpec { sample_rates_khz: vec![0.5], ..spec(1.0) }).contains("sample rate cannot be 0.5"));
    assert!(fault(AudioSpec { channels: 3, ..spec(1.0) }).contains("channels cannot be 3"));
    let mp3 = AudioSpec { format: AudioFormat::Mp3, sample_rates_khz: vec![16.0, 96.0], ..spec(1.0) };
    assert_eq!(
        fault(mp3),
        "the audio sample rate of an mp3 cannot be 96000 Hz; \
         give 8, 11.025, 12, 16, 22.05, 24, 32, 44.1 or 48 kHz, or choose wav"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn sample_counts_are_length_times_rate(
        seed: u64, number: u64, length in 0.01..0.3f64, rate in 1_000..96_000u32, depth in 0..4usize, channels in 1..=2u8,
    ) {
        let spec = AudioSpec {
            depths: vec![[8, 16, 24, 32][depth]],
            sample_rates_khz: vec![f64::from(rate)],
            channels,
            ..spec(length)
        };
        let media = AudioMaker::new(spec, seed).unwrap().audio(number).unwrap();
        let bytes = media.bytes().unwrap();
        let reader = WavReader::new(Cursor::new(&bytes)).unwrap();
        prop_assert_eq!(reader.duration(), (length * f64::from(rate)).round() as u32);
        prop_assert_eq!(reader.into_samples::<i32>().filter(Result::is_err).count(), 0);
    }
}
