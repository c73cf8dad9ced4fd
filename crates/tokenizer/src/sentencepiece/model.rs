//! What a sentencepiece model file (`*.model`, a protobuf message) says.

use super::proto::Fields;

/// How text is cut into pieces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    /// The likeliest sequence of pieces.
    Unigram,
    /// Merging the pair of the best score.
    Bpe,
}

/// What a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Normal,
    Unknown,
    Control,
    UserDefined,
    Unused,
    Byte,
}

/// A piece of the vocabulary; its number is its place.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) text: String,
    pub(super) score: f32,
    pub(super) kind: Kind,
}

/// A model file.
#[derive(Clone, Debug)]
pub(super) struct Model {
    pub(super) pieces: Vec<Piece>,
    pub(super) method: Method,
    pub(super) byte_fallback: bool,
    /// The space that stands for the beginning of a word goes after the word.
    pub(super) space_is_suffix: bool,
    pub(super) bos: Option<u32>,
    pub(super) eos: Option<u32>,
    /// How unknown characters are shown.
    pub(super) unknown_surface: String,
    pub(super) normalizer: Normalization,
    /// Decoded text goes through these rules.
    pub(super) has_denormalizer: bool,
}

/// How text is changed before it is cut.
#[derive(Clone, Debug)]
pub(super) struct Normalization {
    pub(super) charsmap: Vec<u8>,
    pub(super) add_dummy_prefix: bool,
    pub(super) remove_extra_whitespaces: bool,
    pub(super) escape_whitespaces: bool,
}

/// Whether content looks like a model: its first field is a piece with a text and a score.
pub(crate) fn is_sentencepiece(content: &[u8]) -> bool {
    let Some((1, field)) = Fields::of(content).next() else { return false };
    let Some(piece) = field.as_bytes() else { return false };
    let mut fields = Fields::of(piece);
    let has_text = fields.by_ref().any(|(number, field)| number == 1 && field.as_bytes().is_some());
    has_text && fields.by_ref().all(|(number, _)| number <= 3) && !fields.is_broken
}

impl Model {
    /// # Errors
    /// What is wrong with the file.
    pub(super) fn parse(content: &[u8]) -> Result<Self, String> {
        let mut model = Self {
            pieces: Vec::new(),
            method: Method::Unigram,
            byte_fallback: false,
            space_is_suffix: false,
            bos: None,
            eos: None,
            unknown_surface: " \u{2047} ".to_owned(),
            normalizer: Normalization {
                charsmap: Vec::new(),
                add_dummy_prefix: true,
                remove_extra_whitespaces: true,
                escape_whitespaces: true,
            },
            has_denormalizer: false,
        };
        let (mut bos, mut eos) = (1, 2);
        let mut fields = Fields::of(content);
        for (number, field) in fields.by_ref() {
            match (number, field.as_bytes()) {
                (1, Some(piece)) => model.pieces.push(Piece::parse(piece)?),
                (2, Some(trainer)) => model.read_trainer(trainer, &mut bos, &mut eos)?,
                (3, Some(normalizer)) => model.normalizer.read(normalizer)?,
                (5, Some(denormalizer)) => {
                    let mut fields = Fields::of(denormalizer);
                    let is_map = |(number, field): (u64, super::proto::Field<'_>)| {
                        number == 2 && field.as_bytes().is_some_and(|map| !map.is_empty())
                    };
                    model.has_denormalizer = fields.any(is_map);
                }
                _ => {}
            }
        }
        whole(&fields)?;
        model.bos = model.control(bos);
        model.eos = model.control(eos);
        Ok(model)
    }

    fn read_trainer(&mut self, message: &[u8], bos: &mut i32, eos: &mut i32) -> Result<(), String> {
        let mut fields = Fields::of(message);
        for (number, field) in fields.by_ref() {
            match number {
                3 => {
                    self.method = match field.as_i32() {
                        Some(1) => Method::Unigram,
                        Some(2) => Method::Bpe,
                        other => {
                            let other = other.map_or("of an odd kind".to_owned(), |kind| format!("of the kind {kind}"));
                            return Err(format!("it is {other}, neither unigram (1) nor BPE (2)"));
                        }
                    }
                }
                24 => self.space_is_suffix = field.as_bool().unwrap_or(self.space_is_suffix),
                35 => self.byte_fallback = field.as_bool().unwrap_or(self.byte_fallback),
                41 => *bos = field.as_i32().unwrap_or(*bos),
                42 => *eos = field.as_i32().unwrap_or(*eos),
                44 => {
                    if let Some(surface) = field.as_bytes() {
                        self.unknown_surface = String::from_utf8_lossy(surface).into_owned();
                    }
                }
                _ => {}
            }
        }
        whole(&fields)
    }

    fn control(&self, id: i32) -> Option<u32> {
        let id = u32::try_from(id).ok()?;
        self.pieces.get(id as usize).filter(|piece| piece.kind == Kind::Control).map(|_| id)
    }
}

impl Piece {
    fn parse(message: &[u8]) -> Result<Self, String> {
        let mut piece = Self { text: String::new(), score: 0.0, kind: Kind::Normal };
        let mut fields = Fields::of(message);
        for (number, field) in fields.by_ref() {
            match number {
                1 => {
                    let text = std::str::from_utf8(field.as_bytes().unwrap_or_default());
                    piece.text = text.map_err(|_| "a piece is not UTF-8".to_owned())?.to_owned();
                }
                2 => piece.score = field.as_f32().unwrap_or_default(),
                3 => {
                    piece.kind = match field.as_i32() {
                        Some(1) => Kind::Normal,
                        Some(2) => Kind::Unknown,
                        Some(3) => Kind::Control,
                        Some(4) => Kind::UserDefined,
                        Some(5) => Kind::Unused,
                        Some(6) => Kind::Byte,
                        _ => return Err(format!("the piece `{}` is of no known type", piece.text)),
                    }
                }
                _ => {}
            }
        }
        whole(&fields)?;
        Ok(piece)
    }
}

impl Normalization {
    fn read(&mut self, message: &[u8]) -> Result<(), String> {
        let mut fields = Fields::of(message);
        for (number, field) in fields.by_ref() {
            match number {
                2 => self.charsmap = field.as_bytes().unwrap_or_default().to_vec(),
                3 => self.add_dummy_prefix = field.as_bool().unwrap_or(true),
                4 => self.remove_extra_whitespaces = field.as_bool().unwrap_or(true),
                5 => self.escape_whitespaces = field.as_bool().unwrap_or(true),
                _ => {}
            }
        }
        whole(&fields)
    }
}

fn whole(fields: &Fields<'_>) -> Result<(), String> {
    if fields.is_broken { Err("it is cut off or not a sentencepiece model".to_owned()) } else { Ok(()) }
}
