//! The MP3 format.

use rusty_mp3::{Error, Mp3Encoder, Mp3EncoderConfig};

use crate::MediaError;

/// The bit rate of a channel in kbit/s: noise needs many, and the low sample rates have no more for two channels.
fn kbps_a_channel(rate: u32) -> u32 {
    if rate < 32_000 { 64 } else { 128 }
}

/// The bytes of an MP3 file of samples in `[-1, 1]`, those of the channels taking turns.
pub(super) fn mp3(samples: &[f32], rate: u32, channels: u8) -> Result<Vec<u8>, MediaError> {
    let failed = |fault: Error| MediaError::Encode { format: "mp3", reason: fault.to_string() };
    let bitrate_kbps = kbps_a_channel(rate) * u32::from(channels);
    let mut encoder = Mp3Encoder::new(Mp3EncoderConfig { bitrate_kbps, vbr_quality: None });
    encoder.push_pcm_f32(samples, u16::from(channels), rate).map_err(failed)?;
    encoder.finish();
    let mut bytes = Vec::new();
    loop {
        match encoder.next_packet() {
            Ok(packet) => bytes.extend(packet),
            Err(Error::Eof | Error::Again) => return Ok(bytes),
            Err(fault) => return Err(failed(fault)),
        }
    }
}
