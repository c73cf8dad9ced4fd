#!/usr/bin/env python3
"""Measures a real engine (llama.cpp over a tiny model) with tokamark and checks what can be known: every request is
answered, the counts add up, exact prompt lengths are what the server counted, and output lengths are what was asked for.

    ci/real_server.py --binary target/release/tokamark --python .venv/bin/python --server llamacpp_server.py
"""
import argparse
import json
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

REQUESTS = 24
OUTPUT_TOKENS = 16
INPUT_TOKENS = 40


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """The engine as a child process, ready when its health page says so."""

    def __init__(self, args, *options):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.child = subprocess.Popen([args.python, args.server, "--port", str(self.port), *options],
                                      stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def __enter__(self):
        for _ in range(300):
            if self.child.poll() is not None:
                raise SystemExit(f"the server ended at once with {self.child.returncode}")
            try:
                with urllib.request.urlopen(f"{self.url}/health", timeout=2) as answer:
                    if answer.status == 200:
                        return self
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit("the server was not ready in time")

    def __exit__(self, *_):
        self.child.terminate()
        try:
            self.child.wait(10)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()


class Checks:
    """Counts what held and says what did not."""

    def __init__(self):
        self.failed = 0

    def equal(self, what, found, expected):
        self.true(f"{what} is {found!r}, expected {expected!r}", found == expected)

    def true(self, what, holds):
        if not holds:
            self.failed += 1
            print(f"  FAILED {what}", flush=True)


def profile(args, folder, url, *options):
    """Runs tokamark and gives (exit status, summary, rows)."""
    line = [args.binary, "profile", "--url", url, "--concurrency", "4", "--request-count", str(REQUESTS),
            "--isl", str(INPUT_TOKENS), "--random-seed", "1", "--artifact-dir", str(folder), "--ui", "none",
            *(["--tokenizer", args.tokenizer] if args.tokenizer else []), *options]
    done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    files = list(folder.rglob("profile_export_tokamark.json"))
    if not files:
        raise SystemExit(f"no summary was written, exit status {done.returncode}:\n{done.stdout[-3000:]}")
    rows = [json.loads(text) for text in files[0].with_name("profile_export.jsonl").read_text().splitlines()]
    return done.returncode, json.loads(files[0].read_text()), rows


def values(rows, tag):
    return [row["metrics"][tag]["value"] for row in rows if tag in row["metrics"]]


def check_run(checks, name, status, summary, rows, tokens, streaming):
    print(f"{name}: {summary['counts']}", flush=True)
    checks.equal(f"{name}: exit status", status, 0)
    checks.equal(f"{name}: counts", {key: summary["counts"][key] for key in ("attempted", "ok", "failed", "cancelled")},
                 {"attempted": REQUESTS, "ok": REQUESTS, "failed": 0, "cancelled": 0})
    checks.equal(f"{name}: rows", len(rows), REQUESTS)
    latencies = values(rows, "request_latency")
    checks.equal(f"{name}: latencies", len(latencies), REQUESTS)
    checks.true(f"{name}: every latency is above 0", all(value > 0 for value in latencies))
    checks.equal(f"{name}: has a time to first token", "time_to_first_token" in summary["metrics"], streaming)
    if streaming:
        pairs = zip(values(rows, "time_to_first_token"), latencies)
        checks.true(f"{name}: no first token comes after the last", all(first <= last for first, last in pairs))
    if tokens:
        lengths = values(rows, "output_sequence_length")
        checks.equal(f"{name}: output lengths", sorted(set(lengths)), [OUTPUT_TOKENS])
        checks.equal(f"{name}: all output tokens", summary["metrics"]["total_osl"]["avg"], REQUESTS * OUTPUT_TOKENS)


def check_prompts(checks, name, rows, exact):
    """Prompts of N tokens are N tokens to the server, but for what it puts around them: the same for every request."""
    lengths = sorted(set(values(rows, "usage_prompt_tokens")))
    checks.equal(f"{name}: different prompt lengths", len(lengths), 1)
    if exact and lengths:
        checks.true(f"{name}: prompts of {lengths} tokens, {INPUT_TOKENS} and at most a BOS expected",
                    INPUT_TOKENS <= lengths[0] <= INPUT_TOKENS + 1)


def check_interrupt(checks, args, folder, url):
    """Ctrl-C in the middle of a run: a valid report of what was measured, and the exit status that says so."""
    line = [args.binary, "profile", "-m", "tiny-llama", "--url", url, "--streaming", "--concurrency", "4",
            "--benchmark-duration", "60", "--osl", str(OUTPUT_TOKENS), "--extra-inputs", "ignore_eos:true",
            "--artifact-dir", str(folder), "--ui", "none"]
    child = subprocess.Popen(line, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    child.send_signal(signal.SIGINT)
    checks.equal("interrupted: exit status", child.wait(30), 130)
    summary = json.loads((folder / "profile_export_tokamark.json").read_text())
    rows = [json.loads(text) for text in (folder / "profile_export.jsonl").read_text().splitlines()]
    counts = summary["counts"]
    print(f"interrupted: {counts}", flush=True)
    checks.equal("interrupted: was_cancelled", summary["was_cancelled"], True)
    checks.true("interrupted: some requests are ok, at most 4 are cancelled, none failed",
                counts["ok"] > 0 and counts["cancelled"] <= 4 and counts["failed"] == 0)
    checks.equal("interrupted: rows", len(rows), counts["attempted"])
    checks.equal("interrupted: latencies", len(values(rows, "request_latency")), counts["ok"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", required=True)
    parser.add_argument("--python", default=sys.executable, help="interpreter that has the engine's package")
    parser.add_argument("--server", required=True)
    parser.add_argument("--tokenizer", help="folder with the model's tokenizer; prompts are then of exact length")
    args = parser.parse_args()
    checks, scratch = Checks(), tempfile.TemporaryDirectory()
    folder = pathlib.Path(scratch.name)
    fixed = ["--osl", str(OUTPUT_TOKENS), "--extra-inputs", "ignore_eos:true"]
    with scratch:
        with Server(args) as server:
            for kind in ("chat", "completions"):
                for streaming in (True, False):
                    name = f"{kind}, {'streamed' if streaming else 'whole'}"
                    options = ["-m", "tiny-llama", "--endpoint-type", kind, *fixed, *["--streaming"] * streaming]
                    status, summary, rows = profile(args, folder / name.replace(", ", "-"), server.url, *options)
                    check_run(checks, name, status, summary, rows, tokens=True, streaming=streaming)
                    check_prompts(checks, name, rows, exact=bool(args.tokenizer) and kind == "completions")
            check_interrupt(checks, args, folder / "interrupted", server.url)
        with Server(args, "--embeddings") as server:
            status, summary, rows = profile(args, folder / "embeddings", server.url, "-m", "tiny-embed",
                                            "--endpoint-type", "embeddings")
            check_run(checks, "embeddings", status, summary, rows, tokens=False, streaming=False)
            check_prompts(checks, "embeddings", rows, exact=False)
    print("all checks held" if not checks.failed else f"{checks.failed} checks failed", flush=True)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
