//! Pictures are decoded with the `image` crate.

use std::collections::HashSet;
use std::fs;
use std::path::PathBuf;

use image::{DynamicImage, Rgb, RgbImage};
use proptest::prelude::*;
use tokamark_media::{
    Format, ImageFormat, ImageMaker, ImageSource, ImageSpec, Kind, Media, MediaError, Sampling, Spread,
};

use crate::sha256;

fn spec(width: f64, height: f64, format: ImageFormat, source: ImageSource) -> ImageSpec {
    let sampling = Sampling::SequentialCycle;
    ImageSpec { width: Spread::fixed(width), height: Spread::fixed(height), format, source, sampling }
}

fn decoded(media: &Media) -> DynamicImage {
    let bytes = media.bytes().unwrap();
    let format = image::guess_format(&bytes).unwrap();
    assert_eq!(media.mime(), Some(format.to_mime_type()));
    assert_eq!(media.format(), Format::of_mime(format.to_mime_type()));
    assert!(media.uri().starts_with(&format!("data:{};base64,", format.to_mime_type())));
    image::load_from_memory_with_format(&bytes, format).unwrap()
}

#[test]
fn pictures_have_the_size_and_format_that_were_asked_for() {
    let formats =
        [(ImageFormat::Png, Format::Png), (ImageFormat::Jpeg, Format::Jpeg), (ImageFormat::WebP, Format::WebP)];
    for (format, expected) in formats {
        for source in [ImageSource::Noise, ImageSource::Pictures] {
            let maker = ImageMaker::new(spec(37.0, 21.0, format, source), 1).unwrap();
            let media = maker.image(0).unwrap();
            assert_eq!(media.format(), Some(expected));
            let picture = decoded(&media);
            assert_eq!((picture.width(), picture.height()), (37, 21));
            let facts = media.facts();
            assert_eq!((facts.width, facts.height, facts.duration_s), (Some(37), Some(21), None));
        }
    }
}

#[test]
fn lossless_formats_hold_the_same_noise() {
    let of = |format| {
        decoded(&ImageMaker::new(spec(40.0, 30.0, format, ImageSource::Noise), 3).unwrap().image(9).unwrap()).to_rgb8()
    };
    let png = of(ImageFormat::Png);
    assert_eq!(png, of(ImageFormat::WebP));
    // 3,600 even draws from 0..256: five standard errors of the mean are 6.2.
    let mean = png.iter().map(|&part| f64::from(part)).sum::<f64>() / 3_600.0;
    assert!((mean - 127.5).abs() < 6.2, "{mean}");
    assert_eq!(png.iter().collect::<HashSet<_>>().len(), 256);
}

#[test]
fn the_same_seed_and_number_give_the_same_bytes() {
    let make = |seed, number| {
        let maker = ImageMaker::new(spec(8.0, 8.0, ImageFormat::Png, ImageSource::Noise), seed).unwrap();
        maker.image(number).unwrap().bytes().unwrap()
    };
    assert_eq!(make(1, 5), make(1, 5));
    assert!(make(1, 5) != make(1, 6) && make(1, 5) != make(2, 5));
    assert_eq!(sha256(&make(42, 0)), "417b67154487100f139a81f362f749f1c118dce8ceaf7736e5ec0368bd954176");
}

#[test]
fn drawn_and_stretched_pictures_are_the_same_on_each_machine() {
    let make = |format| ImageMaker::new(spec(100.0, 60.0, format, ImageSource::Pictures), 0).unwrap();
    let all =
        |format| (0..4).flat_map(|number| make(format).image(number).unwrap().bytes().unwrap()).collect::<Vec<_>>();
    assert_eq!(sha256(&all(ImageFormat::Png)), "0a422ff9627b89db72df853223d52480fa6e6286eb42e1033a89d4c7a675a61e");
    assert_eq!(sha256(&all(ImageFormat::Jpeg)), "40e4423eb2424e34e8aa2986af8ac32fe691c962a49f7f0623b78f09ace5c747");
}

#[test]
fn sizes_have_the_mean_and_deviation_of_their_distribution() {
    let mut spec = spec(30.5, 20.0, ImageFormat::Png, ImageSource::Noise);
    spec.width.stddev = 3.0;
    spec.height.stddev = 2.0;
    let maker = ImageMaker::new(spec, 4).unwrap();
    let sizes: Vec<(f64, f64)> = (0..10_000)
        .map(|number| {
            let facts = maker.image(number).unwrap().facts();
            (f64::from(facts.width.unwrap()), f64::from(facts.height.unwrap()))
        })
        .collect();
    let mean = |of: fn(&(f64, f64)) -> f64| sizes.iter().map(of).sum::<f64>() / 1e4;
    let (width, height) = (mean(|size| size.0), mean(|size| size.1));
    // Five standard errors; rounding up would be off by 0.5 and shows.
    assert!((width - 30.5).abs() < 0.15, "{width}");
    assert!((height - 20.0).abs() < 0.1, "{height}");
    let variance = |of: fn(&(f64, f64)) -> f64, mean: f64| {
        sizes.iter().map(|size| (of(size) - mean) * (of(size) - mean)).sum::<f64>() / 1e4
    };
    // Rounding adds 1/12 to the variance; five standard errors are 7 percent.
    let (w, h) =
        (variance(|size| size.0, width) / (9.0 + 1.0 / 12.0), variance(|size| size.1, height) / (4.0 + 1.0 / 12.0));
    assert!((w - 1.0).abs() < 0.07 && (h - 1.0).abs() < 0.07, "{w} {h}");
    let covariance = sizes.iter().map(|size| (size.0 - width) * (size.1 - height)).sum::<f64>() / 1e4;
    assert!((covariance / 6.0).abs() < 0.05, "{covariance}");
}

#[test]
fn random_formats_are_png_and_jpeg_evenly() {
    let maker = ImageMaker::new(spec(2.0, 2.0, ImageFormat::Random, ImageSource::Noise), 8).unwrap();
    let png = (0..10_000).filter(|&number| maker.image(number).unwrap().format() == Some(Format::Png)).count();
    // Five standard deviations of a binomial with n = 10,000 and p = 1/2.
    assert!(png.abs_diff(5_000) < 250, "{png}");
    assert!(
        (0..100).all(|number| { matches!(maker.image(number).unwrap().format(), Some(Format::Png | Format::Jpeg)) })
    );
}

#[test]
fn a_fixed_size_shares_the_finished_pictures() {
    let maker = ImageMaker::new(spec(64.0, 64.0, ImageFormat::Jpeg, ImageSource::Pictures), 0).unwrap();
    let (first, again, other) = (maker.image(0).unwrap(), maker.image(4).unwrap(), maker.image(1).unwrap());
    assert!(std::sync::Arc::ptr_eq(first.uri(), again.uri()));
    assert_ne!(first.uri(), other.uri());
}

#[test]
fn the_rows_of_a_batch_follow_one_another() {
    let maker = ImageMaker::new(spec(4.0, 4.0, ImageFormat::Png, ImageSource::Noise), 1).unwrap();
    let row = maker.images(2, 3).unwrap();
    let single: Vec<Media> = (6..9).map(|number| maker.image(number).unwrap()).collect();
    assert_eq!(row, single);
    assert!(maker.images(2, 0).unwrap().is_empty());
}

/// A folder with some files, which ends with the value.
fn folder(files: &[(&str, &[u8])]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, content) in files {
        fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

fn plain(colour: [u8; 3], format: image::ImageFormat) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    RgbImage::from_pixel(10, 6, Rgb(colour)).write_to(&mut bytes, format).unwrap();
    bytes.into_inner()
}

#[test]
fn the_pictures_of_a_folder_come_in_the_order_of_their_names() {
    let (red, green) = (plain([255, 0, 0], image::ImageFormat::Png), plain([0, 255, 0], image::ImageFormat::WebP));
    let blue = plain([0, 0, 255], image::ImageFormat::Png);
    let folder = folder(&[("b.webp", &green), ("c.PNG", &blue), ("a.png", &red), ("notes.txt", b"none")]);
    fs::create_dir(folder.path().join("more.png")).unwrap();
    let source = ImageSource::Folder(folder.path().to_owned());
    let maker = ImageMaker::new(spec(20.0, 20.0, ImageFormat::Png, source), 1).unwrap();
    let colours: Vec<[u8; 3]> =
        (0..4).map(|number| decoded(&maker.image(number).unwrap()).to_rgb8().get_pixel(19, 3).0).collect();
    assert_eq!(colours, [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 0, 0]]);
    assert_eq!(decoded(&maker.image(0).unwrap()).width(), 20);
}

fn refusal(source: ImageSource) -> MediaError {
    ImageMaker::new(spec(20.0, 20.0, ImageFormat::Png, source), 1).unwrap_err()
}

#[test]
fn a_folder_without_pictures_is_refused() {
    let folder = folder(&[("notes.txt", b"none")]);
    let fault = refusal(ImageSource::Folder(folder.path().to_owned()));
    assert!(matches!(&fault, MediaError::NoPicture { folder: named } if named == folder.path()));
    assert!(fault.to_string().contains("put .png, .jpg, .jpeg or .webp files into it"), "{fault}");
    let missing = folder.path().join("missing");
    let fault = refusal(ImageSource::Folder(missing.clone()));
    assert!(matches!(&fault, MediaError::Folder { folder: named, .. } if *named == missing), "{fault}");
}

#[test]
fn a_damaged_picture_is_named() {
    let good = plain([1, 2, 3], image::ImageFormat::Png);
    for bad in [&good[..good.len() / 2], b"not a picture", b""] {
        let folder = folder(&[("a.png", &good), ("b.jpg", bad)]);
        let fault = refusal(ImageSource::Folder(folder.path().to_owned()));
        let path: PathBuf = folder.path().join("b.jpg");
        assert!(matches!(&fault, MediaError::Undecodable { path: named, .. } if *named == path), "{fault}");
        assert!(fault.to_string().contains("b.jpg"));
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let with = |width: Spread, height: Spread| {
        let base = spec(1.0, 1.0, ImageFormat::Png, ImageSource::Noise);
        ImageMaker::new(ImageSpec { width, height, ..base }, 1).map(|_| ()).map_err(|fault| fault.to_string())
    };
    let fine = Spread::fixed(8.0);
    for mean in [0.0, 0.9, -3.0, 16_385.0, f64::NAN, f64::INFINITY] {
        assert!(with(Spread::fixed(mean), fine).unwrap_err().starts_with("the image width cannot be"), "{mean}");
        assert!(with(fine, Spread::fixed(mean)).unwrap_err().starts_with("the image height cannot be"), "{mean}");
    }
    for stddev in [-1.0, f64::NAN, f64::INFINITY] {
        let fault = with(Spread { mean: 8.0, stddev }, fine).unwrap_err();
        assert!(fault.starts_with("the image width's standard deviation cannot be"), "{fault}");
    }
    assert_eq!(with(fine, fine), Ok(()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_size_is_met_exactly_and_none_is_empty(
        seed: u64, number: u64, width in 1.0..60f64, height in 1.0..60f64, stddev in 0.0..80f64, which in 0..3usize,
    ) {
        let format = [ImageFormat::Png, ImageFormat::Jpeg, ImageFormat::WebP][which];
        let mut spec = spec(width, height, format, ImageSource::Noise);
        spec.width.stddev = stddev;
        let media = ImageMaker::new(spec, seed).unwrap().image(number).unwrap();
        let picture = decoded(&media);
        prop_assert_eq!(media.format().map(Format::kind), Some(Kind::Image));
        prop_assert_eq!((Some(picture.width()), Some(picture.height())), (media.facts().width, media.facts().height));
        prop_assert_eq!(picture.height(), height.round() as u32);
        prop_assert!(picture.width() >= 1);
    }
}
