//! Time to make one piece of media, as it goes into a request: `cargo bench -p tokamark-media`.

use std::sync::atomic::{AtomicU64, Ordering};

use divan::Bencher;
use divan::counter::ItemsCount;
use tokamark_media::{
    AudioFormat, AudioMaker, AudioSpec, ImageFormat, ImageMaker, ImageSource, ImageSpec, Media, MediaError, Sampling,
    Spread,
};

fn main() {
    divan::main();
}

/// Measures the pieces of the numbers from 0 on.
fn measure(bencher: Bencher, make: impl Fn(u64) -> Result<Media, MediaError> + Sync) {
    let next = AtomicU64::new(0);
    bencher.counter(ItemsCount::new(1u32)).bench(|| make(next.fetch_add(1, Ordering::Relaxed)));
}

/// A picture of 512 × 512, or of about that, so that none is made before.
fn picture(bencher: Bencher, format: ImageFormat, source: ImageSource, stddev: f64) {
    let side = Spread { mean: 512.0, stddev };
    let sampling = Sampling::SequentialCycle;
    match ImageMaker::new(ImageSpec { width: side, height: side, format, source, sampling }, 1) {
        Ok(maker) => measure(bencher, |number| maker.image(number)),
        Err(fault) => eprintln!("{fault}"),
    }
}

const FORMATS: [ImageFormat; 3] = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP];

#[divan::bench(args = FORMATS)]
fn noise_512(bencher: Bencher, format: ImageFormat) {
    picture(bencher, format, ImageSource::Noise, 0.0);
}

#[divan::bench(args = FORMATS)]
fn pictures_about_512(bencher: Bencher, format: ImageFormat) {
    picture(bencher, format, ImageSource::Pictures, 1.0);
}

#[divan::bench(args = FORMATS)]
fn pictures_512_again(bencher: Bencher, format: ImageFormat) {
    picture(bencher, format, ImageSource::Pictures, 0.0);
}

#[divan::bench(args = [AudioFormat::Wav, AudioFormat::Mp3])]
fn ten_seconds_of_sound(bencher: Bencher, format: AudioFormat) {
    let length_s = Spread::fixed(10.0);
    match AudioMaker::new(
        AudioSpec { length_s, format, depths: vec![16], sample_rates_khz: vec![16.0], channels: 1 },
        1,
    ) {
        Ok(maker) => measure(bencher, |number| maker.audio(number)),
        Err(fault) => eprintln!("{fault}"),
    }
}
