//! How blocks with names cover a prompt.

/// How the blocks of a row cover its prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// No block has a name.
    Unnamed,
    /// Whole blocks, and nothing after them.
    Exact,
    /// The last block is cut short.
    PartialLast,
    /// Whole blocks, and after them so many tokens without a name.
    Prefix {
        /// Tokens after the blocks.
        tail: u64,
    },
}

/// Why blocks cannot cover a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LayoutError {
    /// Blocks of no tokens.
    #[error("must be at least 1")]
    BlockSize,
    /// At least one block lies wholly behind the prompt's end.
    #[error(
        "has {blocks} blocks of {block_size} tokens, but {tokens} tokens fill only {}; set the trace's block size",
        tokens.div_ceil(u64::from(*block_size).max(1))
    )]
    TooManyBlocks {
        /// Names in the row.
        blocks: u64,
        /// Tokens of the prompt.
        tokens: u64,
        /// Tokens of a block.
        block_size: u32,
    },
}

impl Layout {
    /// The layout of so many tokens with so many named blocks.
    ///
    /// # Errors
    /// If blocks have no tokens, or there are more than the tokens fill.
    pub fn of(tokens: u64, blocks: usize, block_size: u32) -> Result<Self, LayoutError> {
        let blocks = blocks as u64;
        if blocks == 0 {
            return Ok(Self::Unnamed);
        }
        if block_size == 0 {
            return Err(LayoutError::BlockSize);
        }
        let size = u64::from(block_size);
        if blocks > tokens.div_ceil(size) {
            return Err(LayoutError::TooManyBlocks { blocks, tokens, block_size });
        }
        let covered = blocks.saturating_mul(size);
        Ok(match tokens.checked_sub(covered) {
            Some(0) => Self::Exact,
            Some(tail) => Self::Prefix { tail },
            None => Self::PartialLast,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_layout_is_known() {
        assert_eq!(Layout::of(1024, 2, 512), Ok(Layout::Exact));
        assert_eq!(Layout::of(1023, 2, 512), Ok(Layout::PartialLast));
        assert_eq!(Layout::of(513, 2, 512), Ok(Layout::PartialLast));
        assert_eq!(Layout::of(1025, 2, 512), Ok(Layout::Prefix { tail: 1 }));
        assert_eq!(Layout::of(7, 0, 0), Ok(Layout::Unnamed));
    }

    #[test]
    fn a_block_behind_the_end_is_refused() {
        let error = Layout::of(512, 2, 512).unwrap_err();
        assert_eq!(error, LayoutError::TooManyBlocks { blocks: 2, tokens: 512, block_size: 512 });
        assert_eq!(
            error.to_string(),
            "has 2 blocks of 512 tokens, but 512 tokens fill only 1; set the trace's block size"
        );
        assert_eq!(Layout::of(5, 1, 0), Err(LayoutError::BlockSize));
    }
}
