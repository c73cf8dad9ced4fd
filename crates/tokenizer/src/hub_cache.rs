//! The local cache of Hugging Face's hub: `models--ORG--NAME/refs/REVISION` names a commit, `snapshots/COMMIT` holds
//! its files.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

/// Where the hub's client keeps what it has downloaded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HubCache {
    root: Option<PathBuf>,
}

impl HubCache {
    /// A cache in a folder.
    #[must_use]
    pub fn at(root: impl Into<PathBuf>) -> Self {
        Self { root: Some(root.into()) }
    }

    /// The cache that the environment names: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME`, `XDG_CACHE_HOME`, or
    /// `~/.cache/huggingface/hub`.
    #[must_use]
    pub fn from_environment() -> Self {
        Self::from_variables(|name| env::var_os(name))
    }

    fn from_variables(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let root = path("HF_HUB_CACHE")
            .or_else(|| path("HUGGINGFACE_HUB_CACHE"))
            .or_else(|| path("HF_HOME").map(|home| home.join("hub")))
            .or_else(|| path("XDG_CACHE_HOME").map(|cache| cache.join("huggingface/hub")))
            .or_else(|| path("HOME").or_else(|| path("USERPROFILE")).map(|home| home.join(".cache/huggingface/hub")));
        Self { root }
    }

    /// The folder of the cache, if the environment gives one.
    #[must_use]
    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The folder of a model's files at a revision (a branch, a tag or a commit), if it was downloaded.
    #[must_use]
    pub fn snapshot(&self, model: &str, revision: &str) -> Option<PathBuf> {
        // Names become parts of a path, so they must not lead out of the cache.
        let is_plain = |name: &str| !name.is_empty() && !name.contains(['\\', '\0']);
        let is_step = |part: &str| part.is_empty() || part == "." || part == "..";
        if !is_plain(model) || !is_plain(revision) || model.split('/').chain(revision.split('/')).any(is_step) {
            return None;
        }
        let folder = self.root.as_ref()?.join(format!("models--{}", model.replace('/', "--")));
        let commit = fs::read_to_string(folder.join("refs").join(revision));
        let commit = commit.as_deref().map_or(revision, str::trim);
        Some(folder.join("snapshots").join(commit)).filter(|snapshot| snapshot.is_dir())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache(variables: &[(&str, &str)]) -> Option<PathBuf> {
        let find = |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value));
        HubCache::from_variables(find).root
    }

    #[test]
    fn the_environment_says_where_the_cache_is() {
        let home = ("HOME", "/h");
        let hf_home = ("HF_HOME", "/hf");
        assert_eq!(cache(&[]), None);
        assert_eq!(cache(&[home]), Some("/h/.cache/huggingface/hub".into()));
        assert_eq!(cache(&[home, ("XDG_CACHE_HOME", "/x")]), Some("/x/huggingface/hub".into()));
        assert_eq!(cache(&[home, hf_home]), Some("/hf/hub".into()));
        assert_eq!(cache(&[home, hf_home, ("HF_HUB_CACHE", "/c")]), Some("/c".into()));
        assert_eq!(cache(&[("HF_HUB_CACHE", ""), home]), Some("/h/.cache/huggingface/hub".into()));
    }

    #[test]
    fn names_do_not_lead_out_of_the_cache() {
        let cache = HubCache::at("/");
        for (model, revision) in [("", "main"), ("../x", "main"), ("a//b", "main"), ("a", "../.."), ("/a", "main")] {
            assert_eq!(cache.snapshot(model, revision), None, "{model} {revision}");
        }
    }
}
