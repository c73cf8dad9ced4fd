//! Figures in a folder.

use std::fs;
use std::path::{Path, PathBuf};

use crate::figure::Figure;
use crate::{PlotError, page, png, svg};

/// The name of a figure's files without its ending: the words of its title in lower case, with underscores between them.
#[must_use]
pub fn file_stem(title: &str) -> String {
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join("_")
}

/// Writes each figure as SVG and PNG, and all of them as `index.html`, into a folder, which is made. Gives the page.
///
/// # Errors
/// The folder or a file cannot be written, or a picture cannot be made.
pub fn write_files(folder: &Path, title: &str, figures: &[Figure]) -> Result<PathBuf, PlotError> {
    let failed = |path: &Path, source| PlotError::Write { path: path.to_owned(), source };
    fs::create_dir_all(folder).map_err(|source| failed(folder, source))?;
    let write = |name: String, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).map_err(|source| failed(&path, source)).map(|()| path)
    };
    for figure in figures {
        let stem = file_stem(&figure.title);
        write(format!("{stem}.svg"), svg(figure).as_bytes())?;
        write(format!("{stem}.png"), &png(figure)?)?;
    }
    write("index.html".to_owned(), page(title, figures).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Content};

    #[test]
    fn names_are_the_words_of_the_title() {
        assert_eq!(
            file_stem("Time to First Token vs Input Sequence Lengths"),
            "time_to_first_token_vs_input_sequence_lengths"
        );
        assert_eq!(file_stem("Token-to-Token Latency (p99)"), "token_to_token_latency_p99");
    }

    #[test]
    fn every_figure_has_its_files() {
        let folder = tempfile::tempdir().unwrap();
        let figure = Figure {
            title: "One Two".to_owned(),
            note: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            content: Content::Points(Vec::new()),
        };
        let page = write_files(&folder.path().join("plots"), "t", &[figure]).unwrap();
        assert!(fs::read_to_string(page).unwrap().contains("One Two"));
        let mut names: Vec<_> =
            fs::read_dir(folder.path().join("plots")).unwrap().map(|e| e.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["index.html", "one_two.png", "one_two.svg"]);
        let error = write_files(Path::new("/proc/none"), "t", &[]).unwrap_err();
        assert!(error.to_string().starts_with("/proc/none could not be written"));
    }
}
