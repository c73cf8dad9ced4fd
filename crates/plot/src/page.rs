//! All figures on one page, to look at with a browser.

use crate::figure::Figure;
use crate::svg::svg;

const STYLE: &str = "\
body { margin: 24px auto; max-width: 900px; font-family: 'DejaVu Sans', Verdana, sans-serif; color: #1f2933; }
h1 { font-size: 20px; font-weight: normal; }
figure { margin: 0 0 28px; border: 1px solid #e3e7ea; border-radius: 6px; padding: 8px; }
svg { display: block; width: 100%; height: auto; }
.under { stroke: #1f2933; stroke-width: 2; }
#tip { position: fixed; display: none; pointer-events: none; background: #1f2933; color: #fff; padding: 5px 9px;
  border-radius: 4px; font-size: 13px; white-space: pre; z-index: 1; }
";

/// Takes the browser's own tips, which come late, out of the drawings and shows them at once beside the pointer.
const SCRIPT: &str = "\
const tip = document.getElementById('tip');
for (const title of document.querySelectorAll('svg title')) {
  title.parentNode.dataset.tip = title.textContent;
  title.remove();
}
let under = null;
document.addEventListener('pointermove', event => {
  const found = event.target.closest ? event.target.closest('[data-tip]') : null;
  if (under && under !== found) under.classList.remove('under');
  under = found;
  if (!found) { tip.style.display = 'none'; return; }
  found.classList.add('under');
  tip.textContent = found.dataset.tip;
  tip.style.display = 'block';
  const left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8);
  tip.style.left = Math.max(left, 8) + 'px';
  tip.style.top = Math.max(event.clientY - tip.offsetHeight - 12, 8) + 'px';
});
";

/// The page: it needs nothing but itself.
#[must_use]
pub fn page(title: &str, figures: &[Figure]) -> String {
    let title = crate::svg::escaped(title);
    let figures: String = figures.iter().map(|figure| format!("<figure>\n{}</figure>\n", svg(figure))).collect();
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width\">\n<link rel=\"icon\" href=\"data:,\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<h1>{title}</h1>\n{figures}<div id=\"tip\"></div>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Axis, Content, Point};

    #[test]
    fn a_page_needs_nothing_but_itself() {
        let figure = Figure {
            title: "T".to_owned(),
            note: String::new(),
            x: Axis::default(),
            y: Axis::default(),
            content: Content::Points(vec![Point { x: 1.0, y: 1.0, tip: "1 ms".to_owned() }]),
        };
        let page = page("a <run>", &[figure.clone(), figure]);
        assert_eq!(page.matches("<svg").count(), 2);
        assert_eq!(page.matches("<title>1 ms</title>").count(), 2);
        assert!(page.contains("<h1>a &lt;run&gt;</h1>"));
        let links = page.replace("xmlns=\"http://www.w3.org/2000/svg\"", "");
        assert!(!links.contains("http") && !links.contains("src=") && !links.contains("@import"), "{links}");
    }
}
