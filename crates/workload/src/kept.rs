//! The values that were used last.

use std::collections::HashMap;
use std::hash::Hash;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

/// Texts in two generations: when the younger is full, the elder is dropped for it. What is used again moves to the
/// younger, so that what is used often stays.
#[derive(Debug)]
pub(crate) struct Kept<K, V> {
    generations: Mutex<Generations<K, V>>,
    most_bytes: usize,
}

#[derive(Debug)]
struct Generations<K, V> {
    young: HashMap<K, Arc<V>>,
    old: HashMap<K, Arc<V>>,
    young_bytes: usize,
}

impl<K: Eq + Hash + Copy, V> Kept<K, V> {
    /// Keeps up to some bytes.
    pub(crate) fn new(most_bytes: usize) -> Self {
        let generations = Generations { young: HashMap::new(), old: HashMap::new(), young_bytes: 0 };
        Self { generations: Mutex::new(generations), most_bytes: most_bytes / 2 }
    }

    /// The value of a key, made if it is not there. While it is made others are not kept waiting, so two may make it.
    pub(crate) fn get(&self, key: K, bytes: impl Fn(&V) -> usize, make: impl FnOnce() -> V) -> Arc<V> {
        let lock = || self.generations.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = lock().find(key, self.most_bytes, &bytes) {
            return value;
        }
        let value = Arc::new(make());
        lock().insert(key, Arc::clone(&value), bytes(&value), self.most_bytes);
        value
    }
}

impl<K: Eq + Hash + Copy, V> Generations<K, V> {
    fn find(&mut self, key: K, most: usize, bytes: impl Fn(&V) -> usize) -> Option<Arc<V>> {
        if let Some(value) = self.young.get(&key) {
            return Some(Arc::clone(value));
        }
        let value = self.old.remove(&key)?;
        let size = bytes(&value);
        self.insert(key, Arc::clone(&value), size, most);
        Some(value)
    }

    fn insert(&mut self, key: K, value: Arc<V>, bytes: usize, most: usize) {
        if bytes > most {
            return;
        }
        if self.young_bytes + bytes > most {
            self.old = mem::take(&mut self.young);
            self.young_bytes = 0;
        }
        if self.young.insert(key, value).is_none() {
            self.young_bytes += bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_stays_and_memory_is_bounded() {
        let kept = Kept::new(600);
        let get = |key: u32| *kept.get(key, |_| 100, || key * 2);
        for key in 0..40 {
            assert_eq!((get(key), get(0)), (key * 2, 0));
        }
        let generations = kept.generations.lock().unwrap();
        assert!(generations.young.len() + generations.old.len() <= 6);
        assert!(generations.young.contains_key(&0) || generations.old.contains_key(&0));
        assert!(!generations.young.contains_key(&1));
    }

    #[test]
    fn what_is_too_large_is_made_each_time() {
        let kept = Kept::new(10);
        let mut made = 0;
        for _ in 0..2 {
            kept.get(1u32, |_| 6, || made += 1);
        }
        assert_eq!(made, 2);
    }
}
