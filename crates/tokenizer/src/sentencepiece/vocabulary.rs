//! The pieces of a model, by text and by number.

use super::model::{Kind, Piece};
use super::symbols::UserDefined;
use crate::byte_pair::vocabulary::Vocabulary;

/// The pieces.
pub(super) struct Pieces {
    all: Vec<Piece>,
    /// Normal, user-defined and unused pieces.
    ordinary: Vocabulary,
    /// The others: control, unknown and byte pieces.
    reserved: Vocabulary,
    pub(super) user_defined: UserDefined,
    /// Of the normal pieces.
    pub(super) lowest_score: f32,
    /// Of the normal pieces, and not below the smallest positive number.
    pub(super) highest_score: f32,
    pub(super) unknown: u32,
    /// The piece of each byte; complete if the model falls back to bytes.
    pub(super) bytes: Option<Box<[u32; 256]>>,
}

impl Pieces {
    /// # Errors
    /// There is no unknown piece, or a byte has none although the model falls back to bytes.
    pub(super) fn new(all: Vec<Piece>, byte_fallback: bool) -> Result<Self, String> {
        let by_kind = |is_wanted: fn(Kind) -> bool| {
            let pieces = all.iter().enumerate().filter(move |(_, piece)| is_wanted(piece.kind));
            Vocabulary::new(pieces.map(|(id, piece)| (piece.text.as_bytes(), id as u32)))
        };
        let ordinary = by_kind(|kind| matches!(kind, Kind::Normal | Kind::UserDefined | Kind::Unused))?;
        let reserved = by_kind(|kind| matches!(kind, Kind::Unknown | Kind::Control | Kind::Byte))?;
        let unknown = all.iter().position(|piece| piece.kind == Kind::Unknown).ok_or("it has no unknown piece")? as u32;
        let bytes = if byte_fallback {
            let mut bytes = Box::new([0; 256]);
            for (byte, id) in bytes.iter_mut().enumerate() {
                let name = format!("<0x{byte:02X}>");
                *id = reserved.id_of(name.as_bytes()).ok_or_else(|| format!("it has no piece {name}"))?;
            }
            Some(bytes)
        } else {
            None
        };
        let normal = || all.iter().filter(|piece| piece.kind == Kind::Normal).map(|piece| piece.score);
        let user_defined = all.iter().filter(|piece| piece.kind == Kind::UserDefined);
        Ok(Self {
            user_defined: UserDefined::new(user_defined.map(|piece| piece.text.as_str())),
            lowest_score: normal().fold(f32::MAX, f32::min),
            highest_score: normal().fold(f32::MIN_POSITIVE, f32::max),
            all,
            ordinary,
            reserved,
            unknown,
            bytes,
        })
    }

    /// The piece of exactly this text, if merges may make it.
    #[inline]
    pub(super) fn mergeable(&self, text: &[u8]) -> Option<u32> {
        self.ordinary.id_of(text)
    }

    pub(super) fn id_of(&self, text: &[u8]) -> Option<u32> {
        self.reserved.id_of(text).or_else(|| self.ordinary.id_of(text))
    }

    pub(super) fn get(&self, id: u32) -> Option<&Piece> {
        self.all.get(id as usize)
    }

    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (u32, &Piece)> {
        (0..).zip(&self.all)
    }

    pub(super) fn score(&self, id: u32) -> f32 {
        self.get(id).map_or(0.0, |piece| piece.score)
    }

    pub(super) fn is_unused(&self, id: u32) -> bool {
        self.get(id).is_some_and(|piece| piece.kind == Kind::Unused)
    }

    pub(super) fn is_user_defined(&self, id: u32) -> bool {
        self.get(id).is_some_and(|piece| piece.kind == Kind::UserDefined)
    }
}
