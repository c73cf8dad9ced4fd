"""Opens the page of a run's plots in headless Chromium: it draws, needs no network, and says values under the pointer.

    ci/plots.py --binary target/release/tokamark --chromium /usr/bin/chromium     (needs the package playwright)
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

from playwright.sync_api import sync_playwright


class Checks:
    def __init__(self):
        self.failed = 0

    def that(self, what, holds, why=""):
        print(f"{'ok  ' if holds else 'FAIL'} {what}{'' if holds else f': {why}'}", flush=True)
        self.failed += not holds


def runs(binary, folder):
    common = ["-m", "m", "--tokenizer", "builtin", "--endpoint-type", "chat", "--streaming", "-u", "sim:", "--isl", "50",
              "--synthetic-input-tokens-stddev", "10", "--osl", "12", "--generate-plots"]
    for arguments in (["profile", *common, "--concurrency", "4", "--request-count", "60"],
                      ["analyze", *common, "--sweep-type", "concurrency", "--sweep-list", "1,2,8", "--request-count", "24"]):
        subprocess.run([binary, "genai-perf", *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def under_pointer(page, selector):
    """What is said when the pointer is over the first such element, and whether the tip is within the window."""
    found = page.locator(selector).first
    found.scroll_into_view_if_needed()
    box = found.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tip = page.locator("#tip")
    shown = tip.bounding_box()
    size = page.viewport_size
    is_within = shown is not None and shown["x"] >= 0 and shown["x"] + shown["width"] <= size["width"] and shown["y"] >= 0
    return tip.text_content() if tip.is_visible() else None, is_within


def look(checks, browser, what, file, figures, tips):
    asked, errors = [], []
    page = browser.new_page(viewport={"width": 900, "height": 700})
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    checks.that(f"{what}: the script runs", not errors, errors)
    checks.that(f"{what}: {figures} figures", page.locator("figure svg").count() == figures, page.locator("figure svg").count())
    outside = [url for url in asked if not url.startswith(("file:", "data:"))]
    checks.that(f"{what}: nothing is asked of the network", not outside, outside)
    cut = page.evaluate("""() => [...document.querySelectorAll('svg text')].filter(text => {
        const [own, all] = [text.getBoundingClientRect(), text.ownerSVGElement.getBoundingClientRect()];
        return own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1;
    }).map(text => text.textContent)""")
    checks.that(f"{what}: no text is cut off", not cut, cut)
    for selector, pattern in tips.items():
        said, is_within = under_pointer(page, selector)
        checks.that(f"{what}: {selector} says its value", said is not None and re.fullmatch(pattern, said) and is_within, said)
    page.mouse.move(1, 1)
    checks.that(f"{what}: nothing is said beside the drawings", not page.locator("#tip").is_visible())
    page.close()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--chromium", required=True)
    args = parser.parse_args()
    checks = Checks()
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        runs(str(pathlib.Path(args.binary).resolve()), folder)
        root = pathlib.Path(folder) / "artifacts"
        browser = playwright.chromium.launch(executable_path=args.chromium, args=["--no-sandbox"])
        look(checks, browser, "a run", root / "m-openai-chat-concurrency4" / "plots" / "index.html", 5,
             {"rect.box": r"p1 [\d.]+, p25 [\d.]+, median .* ms, of 60", "rect.cell": r"Input Sequence Length .*: \d+"})
        look(checks, browser, "a sweep", root / "plots" / "index.html", 2,
             {"circle.dot": r"concurrency 1: [\d.,]+ tokens/sec, [\d.]+ ms"})
        browser.close()
    sys.exit(1 if checks.failed else 0)


if __name__ == "__main__":
    main()
