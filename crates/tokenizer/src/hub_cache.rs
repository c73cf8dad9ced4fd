//! The local cache of Hugging Face's hub: `models--ORG--NAME/refs/REVISION` names a commit, `snapshots/COMMIT` holds
//! its files.

use std::env;
use std::ffi::OsString;
use std::fs;
#[cfg(feature = "hub")]
use std::io;
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
        let folder = self.model_folder(model).filter(|_| stays_inside(revision))?;
        let commit = fs::read_to_string(folder.join("refs").join(revision));
        let commit = commit.as_deref().map_or(revision, str::trim);
        Some(folder.join("snapshots").join(commit)).filter(|snapshot| snapshot.is_dir())
    }

    fn model_folder(&self, model: &str) -> Option<PathBuf> {
        let root = self.root.as_ref().filter(|_| stays_inside(model))?;
        Some(root.join(format!("models--{}", model.replace('/', "--"))))
    }

    /// Makes room for a model's files at a commit.
    #[cfg(feature = "hub")]
    pub(crate) fn new_snapshot(&self, model: &str, commit: &str) -> io::Result<NewSnapshot> {
        let no_place = || io::Error::other("there is no folder for it, because HF_HOME and HOME are not set");
        let model = self.model_folder(model).ok_or_else(no_place)?;
        if !stays_inside(commit) || commit.contains('/') {
            return Err(io::Error::other(format!("`{commit}` is no commit")));
        }
        let snapshot = NewSnapshot { model, commit: commit.to_owned() };
        fs::create_dir_all(snapshot.model.join("blobs"))?;
        fs::create_dir_all(snapshot.folder())?;
        Ok(snapshot)
    }
}

/// Names become parts of a path, so they must not lead out of the cache.
fn stays_inside(name: &str) -> bool {
    let is_step = |part: &str| part.is_empty() || part == "." || part == "..";
    !name.is_empty() && !name.contains(['\\', '\0']) && !name.split('/').any(is_step)
}

/// A snapshot that is being filled. Everything appears under its name at once, so that several programs may fill the
/// same one.
#[cfg(feature = "hub")]
pub(crate) struct NewSnapshot {
    model: PathBuf,
    commit: String,
}

#[cfg(feature = "hub")]
impl NewSnapshot {
    fn folder(&self) -> PathBuf {
        self.model.join("snapshots").join(&self.commit)
    }

    /// Where a file is or will be.
    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.file(name).is_file()
    }

    /// A place for a file's content, called after its etag if there is one.
    pub(crate) fn blob(&self, etag: Option<&str>, name: &str) -> io::Result<NewBlob> {
        let etag = etag.map(|etag| etag.trim_start_matches("W/").trim_matches('"'));
        let is_plain = |etag: &&str| {
            etag.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') && (8..=128).contains(&etag.len())
        };
        let blob = etag.filter(is_plain).map_or_else(|| format!("{}-{name}", self.commit), str::to_owned);
        let unfinished = self.model.join("blobs").join(format!("{blob}.{}.incomplete", std::process::id()));
        let file = fs::File::create(&unfinished)?;
        Ok(NewBlob { file: Some(file), unfinished, target: self.file(name), model: self.model.clone(), blob })
    }

    /// Says that this is the commit of a revision.
    pub(crate) fn name(&self, revision: &str) -> io::Result<()> {
        if revision == self.commit || !stays_inside(revision) {
            return Ok(());
        }
        let file = self.model.join("refs").join(revision);
        fs::create_dir_all(file.parent().unwrap_or(&self.model))?;
        let unfinished = file.with_extension(format!("{}.incomplete", std::process::id()));
        fs::write(&unfinished, &self.commit)?;
        fs::rename(unfinished, file)
    }
}

/// Content on its way into the cache; removed again unless it is kept.
#[cfg(feature = "hub")]
pub(crate) struct NewBlob {
    file: Option<fs::File>,
    unfinished: PathBuf,
    target: PathBuf,
    model: PathBuf,
    blob: String,
}

#[cfg(feature = "hub")]
impl NewBlob {
    pub(crate) fn write(&mut self, content: &[u8]) -> io::Result<()> {
        match &mut self.file {
            Some(file) => io::Write::write_all(file, content),
            None => Ok(()),
        }
    }

    /// Gives the content its name, and the file in the snapshot its content.
    pub(crate) fn keep(mut self) -> io::Result<()> {
        if let Some(file) = self.file.take() {
            file.sync_all()?;
        }
        let blob = self.model.join("blobs").join(&self.blob);
        fs::rename(&self.unfinished, &blob)?;
        let unfinished = self.target.with_extension(format!("{}.incomplete", std::process::id()));
        #[cfg(unix)]
        std::os::unix::fs::symlink(Path::new("../../blobs").join(&self.blob), &unfinished)?;
        #[cfg(not(unix))]
        fs::copy(&blob, &unfinished)?;
        fs::rename(unfinished, &self.target)
    }
}

#[cfg(feature = "hub")]
impl Drop for NewBlob {
    fn drop(&mut self) {
        // After it was kept there is nothing under this name.
        let _ = fs::remove_file(&self.unfinished);
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
