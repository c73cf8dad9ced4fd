//! Why a piece of media is not to be had.

use std::path::PathBuf;
use std::process::ExitStatus;

use crate::Kind;

/// Why a piece of media is not to be had, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum MediaError {
    /// A specification asks for something that cannot be made.
    #[error("{field} cannot be {value}; give {rule}")]
    Spec {
        /// What was given, in words.
        field: &'static str,
        /// The value that was given.
        value: String,
        /// What is possible.
        rule: &'static str,
    },
    /// A file or folder cannot be read.
    #[error("`{}` cannot be read: {source}; check the path (it is taken from `{}`)", path.display(), base.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// The folder that relative paths start at.
        base: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A path is not that of a file.
    #[error("`{}` is not a file; give the path of one {kind} file", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// The kind that was wanted.
        kind: Kind,
    },
    /// A folder of pictures cannot be listed.
    #[error("the folder of pictures `{}` cannot be read: {source}; check the path", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A folder of pictures holds none.
    #[error("`{}` holds no picture; put .png, .jpg, .jpeg or .webp files into it", folder.display())]
    NoPicture {
        /// The folder.
        folder: PathBuf,
    },
    /// A picture's file cannot be decoded.
    #[error("`{}` is not a picture that can be decoded: {reason}; replace or remove the file", path.display())]
    Undecodable {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
    /// The bytes of a file are in no format that is known.
    #[error("`{origin}` is in no known {kind} format; give {}", kind.formats())]
    Unrecognised {
        /// The file, or the start of the reference.
        origin: String,
        /// The kind that was wanted.
        kind: Kind,
    },
    /// A file is media of another kind.
    #[error("`{origin}` is {found}, but {wanted} is wanted here; give {}", wanted.formats())]
    WrongKind {
        /// The file, or the start of the reference.
        origin: String,
        /// What it is.
        found: String,
        /// The kind that was wanted.
        wanted: Kind,
    },
    /// A data URI or a `format,base64` text is not well formed.
    #[error("`{start}…` is not a usable {kind}: {reason}; write data:TYPE;base64,DATA")]
    Inline {
        /// The first characters of the reference.
        start: String,
        /// The kind that was wanted.
        kind: Kind,
        /// The reason.
        reason: String,
    },
    /// A URL cannot be used.
    #[error("`{url}` is not a usable URL: {reason}; give an http:// or https:// URL, a data URI or a file's path")]
    Url {
        /// The URL.
        url: String,
        /// The reason.
        reason: String,
    },
    /// What was drawn cannot be encoded.
    #[error("the {format} encoder failed: {reason}; choose another format")]
    Encode {
        /// The format.
        format: &'static str,
        /// The reason.
        reason: String,
    },
    /// No `ffmpeg` is installed.
    #[error(
        "clips are made by the program `ffmpeg`, which was not found on PATH; \
         install it (e.g. apt-get install ffmpeg), or give videos of your own in an input file"
    )]
    NoFfmpeg,
    /// The `ffmpeg` that was found cannot be started.
    #[error("`{}` cannot be run: {source}; install a working ffmpeg", program.display())]
    FfmpegStart {
        /// The program.
        program: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The `ffmpeg` that was found lacks an encoder.
    #[error(
        "`{}` has no encoder `{encoder}`; choose one that `ffmpeg -encoders` lists, \
         or install an ffmpeg built with it", program.display()
    )]
    NoEncoder {
        /// The program.
        program: PathBuf,
        /// The encoder that was asked for.
        encoder: String,
    },
    /// `ffmpeg` ended with a fault or wrote nothing.
    #[error("ffmpeg made no clip ({status}): {said}; check the encoder, the format and the sizes")]
    Ffmpeg {
        /// How it ended.
        status: ExitStatus,
        /// The last lines it wrote, joined.
        said: String,
    },
    /// `ffmpeg` took too long and was stopped.
    #[error("ffmpeg was stopped after {limit_s} s on one clip: {said}; make the clip shorter or smaller")]
    FfmpegStuck {
        /// The limit, in seconds.
        limit_s: f64,
        /// The last lines it wrote, joined.
        said: String,
    },
    /// A file that `ffmpeg` reads or writes cannot be used.
    #[error("the temporary folder for a clip cannot be used: {0}; make room, or set TMPDIR to another folder")]
    Temporary(std::io::Error),
}
