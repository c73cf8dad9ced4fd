//! The files that were used last.

use std::collections::HashMap;
use std::mem;
use std::path::{Path, PathBuf};

use crate::Media;

/// Files that were read, in two generations: when the younger is full, the elder is dropped for it. A file that is
/// used again moves to the younger, so that what is used often stays.
#[derive(Debug)]
pub(crate) struct Kept {
    young: HashMap<PathBuf, Media>,
    old: HashMap<PathBuf, Media>,
    /// The encoded bytes of the younger.
    young_bytes: usize,
    /// How many a generation may have.
    most_bytes: usize,
}

impl Kept {
    /// Keeps up to some encoded bytes.
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { young: HashMap::new(), old: HashMap::new(), young_bytes: 0, most_bytes: most_bytes / 2 }
    }

    /// A file that was read.
    pub(crate) fn find(&mut self, path: &Path) -> Option<Media> {
        if let Some(media) = self.young.get(path) {
            return Some(media.clone());
        }
        let (path, media) = self.old.remove_entry(path)?;
        self.insert(path, media.clone());
        Some(media)
    }

    /// Keeps a file, unless it alone is more than may be kept.
    pub(crate) fn insert(&mut self, path: PathBuf, media: Media) {
        let bytes = media.uri().len();
        if bytes > self.most_bytes {
            return;
        }
        if self.young_bytes + bytes > self.most_bytes {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        let replaced = self.young.insert(path, media);
        self.young_bytes += bytes - replaced.map_or(0, |media| media.uri().len()).min(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 100 encoded bytes.
    fn file() -> Media {
        Media::remote(&"x".repeat(100))
    }

    fn has(kept: &Kept, name: &str) -> bool {
        kept.young.contains_key(Path::new(name)) || kept.old.contains_key(Path::new(name))
    }

    #[test]
    fn what_is_used_stays_and_the_rest_goes() {
        let mut kept = Kept::new(600);
        for number in 0..40 {
            kept.insert(format!("{number}").into(), file());
            assert!(kept.find(Path::new("0")).is_some(), "{number}");
        }
        assert!(has(&kept, "39") && !has(&kept, "1") && !has(&kept, "30"));
        let bytes = (kept.young.len() + kept.old.len()) * 100;
        assert!(bytes <= 600 && kept.young_bytes == kept.young.len() * 100);
        assert!(kept.find(Path::new("1")).is_none());
    }

    #[test]
    fn a_file_that_is_too_large_is_not_kept_and_none_counts_twice() {
        let mut kept = Kept::new(300);
        kept.insert("a".into(), Media::remote(&"x".repeat(151)));
        assert!(kept.find(Path::new("a")).is_none());
        kept.insert("b".into(), file());
        kept.insert("b".into(), file());
        assert!(kept.find(Path::new("b")).is_some() && kept.young_bytes <= 150);
    }
}
