//! Events and bodies of OpenAI-style chat and completions answers.
