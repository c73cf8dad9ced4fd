//! What coding agents read: source code, test logs, JSON, differences, traces of errors and shell sessions, always the same
//! ones. Where a prompt begins in it is drawn.

use super::template::Writer;

/// Fragments of the corpus.
const FRAGMENTS: u32 = 700;

const RULES: &[(&str, &[&str])] = &[
    ("fragment", &["{python}", "{rust}", "{typescript}", "{json}", "{log}", "{diff}", "{trace}", "{shell}", "{yaml}"]),
    (
        "python",
        &[
            "def {verb}_{noun}({noun}: {type}, limit: int = {number}) -> {type}:\n    \"\"\"{comment}\"\"\"\n    \
             {noun}_list = []\n    for index, {noun} in enumerate(self.{noun}s):\n        if {noun}.{field} > limit:\n            \
             raise ValueError(f\"{noun} {open}index{close} is above {open}limit{close}\")\n        \
             {noun}_list.append({noun}.{verb}({number}))\n    return {noun}_list\n",
            "class {Noun}{Noun}:\n    def __init__(self, {noun}, {field}=None):\n        self.{noun} = {noun}\n        \
             self.{field} = {field} or {number}\n\n    async def {verb}(self):\n        # {comment}\n        async with \
             self.{noun}.lock() as guard:\n            return await guard.{verb}_{field}(timeout={number})\n",
            "@pytest.mark.parametrize(\"{noun}\", [{number}, {number}, {number}])\ndef test_{verb}_{noun}({noun}):\n    \
             result = {verb}_{noun}({noun}, {field}={number})\n    assert result.{field} == {number}, \"{comment}\"\n",
        ],
    ),
    (
        "rust",
        &[
            "/// {comment}\npub fn {verb}_{noun}({noun}: &mut {Noun}, {field}: usize) -> Result<{Noun}, Error> {open}\n    let mut \
             {noun}s = Vec::with_capacity({number});\n    while let Some(next) = {noun}.{verb}({field})? {open}\n        if \
             next.{field}() >= {number} {open}\n            return Err(Error::{Noun}(next));\n        {close}\n        \
             {noun}s.push(next);\n    {close}\n    Ok({Noun}::from({noun}s))\n{close}\n",
            "impl {Noun} for {Noun}{Noun} {open}\n    fn {verb}(&self) -> Option<&str> {open}\n        match self.{field} {open}\n            \
             State::{Noun} => Some(\"{noun}\"),\n            _ if self.{noun}.is_empty() => None,\n            _ => \
             self.{noun}.get({digit}).map(String::as_str),\n        {close}\n    {close}\n{close}\n",
        ],
    ),
    (
        "typescript",
        &[
            "export async function {verb}{Noun}({noun}: {Noun}[], {field} = {number}): Promise<{Noun}> {open}\n  // {comment}\n  \
             const {verb}ed = {noun}.filter((item) => item.{field} !== null);\n  const response = await \
             fetch(`/api/{noun}s?{field}=$${open}{field}{close}`);\n  if (!response.ok) throw new \
             Error(`{verb} failed with ${open}response.status{close}`);\n  return response.json();\n{close}\n",
        ],
    ),
    (
        "json",
        &[
            "{open}\n  \"id\": \"{hex}\",\n  \"{noun}\": {open}\"{field}\": {number}, \"{noun}\": \"{word} {word}\"{close},\n  \
             \"{noun}s\": [\"{word}\", \"{word}\", \"{word}\"],\n  \"enabled\": true,\n  \"{field}\": null\n{close}\n",
            "{open}\"tool\": \"{verb}_{noun}\", \"arguments\": {open}\"path\": \"{path}\", \"{field}\": {number}{close}{close}\n",
        ],
    ),
    (
        "log",
        &[
            "{stamp} INFO  {noun}.{word}: {verb} of {noun} {hex} took {number} ms\n{stamp} WARN  {noun}.{word}: {comment}\n\
             {stamp} ERROR {noun}.{word}: could not {verb} {noun} after {digit} tries, {field}={number}\n",
            "running {number} tests\ntest {noun}::{verb}_{noun} ... ok\ntest {noun}::{verb}_{field} ... FAILED\ntest \
             {noun}::{verb}_{word} ... ok\n\nassertion failed: left == right\n  left: {number}\n right: {number}\n",
        ],
    ),
    (
        "diff",
        &[
            "diff --git a/{path} b/{path}\nindex {hex}..{hex} 100644\n--- a/{path}\n+++ b/{path}\n@@ -{number},7 +{number},8 @@ \
             {verb}_{noun}\n     {noun} = {verb}({noun})\n-    if {noun}.{field} > {number}:\n+    # {comment}\n+    if \
             {noun}.{field} >= {number}:\n         return {noun}\n",
        ],
    ),
    (
        "trace",
        &[
            "Traceback (most recent call last):\n  File \"{path}\", line {number}, in {verb}_{noun}\n    {noun} = \
             self.{verb}({field}={number})\n  File \"{path}\", line {number}, in {verb}\n    raise {Noun}Error(\"{comment}\")\n\
             {Noun}Error: {comment}\n",
            "thread 'main' panicked at {path}:{number}:{digit}:\ncalled `Option::unwrap()` on a `None` value\nstack backtrace:\n   \
             0: {noun}::{verb}\n   1: {noun}::{verb}_{field}\n   2: main\n",
        ],
    ),
    (
        "shell",
        &[
            "$ grep -rn \"{verb}_{noun}\" {path}\n{path}:{number}:    let {noun} = {verb}_{noun}({field});\n{path}:{number}:pub fn \
             {verb}_{noun}({noun}: &{Noun}) {open}\n$ wc -l {path}\n{number} {path}\n",
            "$ git log --oneline -3\n{hex} {comment}\n{hex} Let the {noun} {verb} its {field}\n{hex} Fix the {field} of {noun}s\n",
        ],
    ),
    (
        "yaml",
        &[
            "{noun}:\n  {field}: {number}\n  {word}: \"{word}\"\n  {noun}s:\n    - name: {verb}-{noun}\n      {field}: {number}\n    \
             - name: {verb}-{word}\n      enabled: false\n",
        ],
    ),
    (
        "noun",
        &[
            "request", "session", "token", "buffer", "cache", "worker", "queue", "record", "config", "handler",
            "packet", "index", "stream", "batch", "account", "invoice", "node", "cursor", "schema", "metric",
        ],
    ),
    (
        "Noun",
        &[
            "Request", "Session", "Token", "Buffer", "Cache", "Worker", "Queue", "Record", "Config", "Handler",
            "Packet", "Index", "Stream", "Batch", "Account", "Invoice", "Node", "Cursor", "Schema", "Metric",
        ],
    ),
    (
        "verb",
        &[
            "load", "parse", "merge", "flush", "validate", "resolve", "append", "fetch", "render", "encode",
            "schedule", "update", "split", "drain", "compress", "register", "restore", "lookup", "publish", "retry",
        ],
    ),
    ("field", &["size", "offset", "timeout", "count", "depth", "version", "priority", "length", "ratio", "capacity"]),
    ("word", &["alpha", "primary", "north", "legacy", "remote", "shadow", "inner", "stable", "draft", "public"]),
    ("type", &["str", "bytes", "list[int]", "dict[str, Any]", "Path", "float"]),
    (
        "comment",
        &[
            "the {field} of the {noun} must not change here",
            "{verb} only what the {noun} still holds",
            "this {noun} has no {field} yet",
            "see the notes on how to {verb} a {noun}",
            "avoids a second {noun} per {noun}",
            "keep the {word} {noun} for the next {verb}",
            "the {noun} was closed before it could {verb}",
        ],
    ),
    (
        "path",
        &[
            "src/{noun}/{verb}.rs",
            "lib/{noun}_{verb}.py",
            "app/{word}/{noun}.ts",
            "tests/test_{noun}.py",
            "src/{word}.rs",
        ],
    ),
    ("number", &["{digit}", "{digit}{digit}", "1{digit}{digit}", "4{digit}{digit}{digit}", "64", "1024", "30"]),
    ("stamp", &["2024-0{digit}-1{digit}T0{digit}:3{digit}:1{digit}.{digit}{digit}{digit}Z"]),
];

/// The corpus.
pub(super) fn text() -> String {
    let mut writer = Writer::new("coding", RULES);
    let fragments: Vec<String> = (0..FRAGMENTS).map(|_| writer.write("{fragment}")).collect();
    fragments.join("\n").trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fragments_have_no_rule_left_and_are_always_the_same() {
        let code = text();
        assert!(code.len() > 100_000, "{}", code.len());
        let names = RULES.iter().map(|(name, _)| format!("{{{name}}}"));
        let left: Vec<String> = names.filter(|name| code.contains(name.as_str())).collect();
        // A template string of TypeScript may hold a name in braces.
        assert!(left.iter().all(|name| name == "{field}" || name == "{size}"), "{left:?}");
        assert_eq!(code, text());
    }

    #[test]
    fn every_name_in_a_rule_is_a_rule() {
        let known = |name: &str| {
            ["open", "close", "digit", "hex"].contains(&name) || RULES.iter().any(|(rule, _)| *rule == name)
        };
        for alternative in RULES.iter().flat_map(|(_, alternatives)| *alternatives) {
            let names = alternative.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(name, _)| name);
            assert!(names.into_iter().all(known), "{alternative}");
        }
    }
}
