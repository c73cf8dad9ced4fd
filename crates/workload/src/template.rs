//! What a chat template and special tokens add to a prompt.

use serde_json::{Value, json};
use tokamark_tokenizer::{TemplateError, Tokenizer};

use crate::text::{Made, Maker};

/// Rounds of making a prompt anew until what the template makes of it has the wanted length.
const ROUNDS: u32 = 6;

/// The messages that stand before a first turn.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Before<'a> {
    pub(crate) system: Option<&'a str>,
    pub(crate) context: Option<&'a str>,
}

impl Before<'_> {
    /// The messages of a conversation with one turn.
    pub(crate) fn messages(&self, message: Value) -> Value {
        let system = self.system.map(|text| json!({"role": "system", "content": text}));
        let context = self.context.map(|text| json!({"role": "user", "content": text}));
        system.into_iter().chain(context).chain([message]).collect()
    }

    fn tokens(&self, tokenizer: &Tokenizer) -> u64 {
        self.system.into_iter().chain(self.context).map(|text| tokenizer.count(text) as u64).sum()
    }
}

/// What a server adds to the texts of a prompt, in tokens.
#[derive(Clone, Debug, Default)]
pub(crate) struct Added {
    /// To a conversation's first turn.
    pub(crate) first: u64,
    /// To each later one.
    pub(crate) later: u64,
    /// How much the template adds depends on the text.
    varies: bool,
}

impl Added {
    /// The special tokens that a plain text gets.
    pub(crate) fn to_text(tokenizer: &Tokenizer) -> Self {
        Self { first: tokenizer.special_tokens_added() as u64, later: 0, varies: false }
    }

    /// What the chat template adds, tried with texts of different lengths.
    ///
    /// # Errors
    /// The template does not take the messages.
    pub(crate) fn to_chat(maker: &Maker, before: Before<'_>) -> Result<Self, TemplateError> {
        let tokenizer = maker.tokenizer();
        let mut found = Vec::new();
        let mut later = Vec::new();
        for number in [1u64, 2, 3] {
            let mut stream = crate::random::Streams::new(0, "template").row(number);
            let text = maker.text(&Made::default(), number * number * 7 - 6, None, &mut stream);
            let user = json!({"role": "user", "content": text.text});
            let messages = before.messages(user.clone());
            let all = tokenizer.count_chat(&messages, None)? as u64;
            found.push(all.saturating_sub(before.tokens(tokenizer) + text.tokens));
            // What a later turn adds is told from a conversation with an answer, with and without it.
            let answer = json!({"role": "assistant", "content": text.text});
            let opened = messages.as_array().cloned().unwrap_or_default().into_iter().chain([answer]);
            let answered: Value = opened.clone().collect();
            let followed: Value = opened.chain([user]).collect();
            // Templates that refuse one of them leave the other turns to the text alone.
            if let (Ok(answered), Ok(followed)) =
                (tokenizer.count_chat(&answered, None), tokenizer.count_chat(&followed, None))
            {
                later.push((followed as u64).saturating_sub(answered as u64 + text.tokens));
            }
        }
        let varies = found.windows(2).any(|pair| pair[0] != pair[1]);
        Ok(Self { first: found[0], later: later.iter().copied().min().unwrap_or(0), varies })
    }

    /// The text of a first turn of which so many tokens are its own, so that what the template makes of it has as many more
    /// as it usually adds. `shared` tokens of a prefix come on top.
    pub(crate) fn fit(
        &self,
        tokenizer: &Tokenizer,
        before: Before<'_>,
        own: u64,
        shared: u64,
        make: impl Fn(u64) -> Made,
    ) -> Made {
        let mut body = own;
        let mut made = make(body);
        if !self.varies {
            return made;
        }
        let target = own + self.first + shared + before.tokens(tokenizer);
        for _ in 0..ROUNDS {
            let messages = before.messages(json!({"role": "user", "content": made.text}));
            let Ok(reached) = tokenizer.count_chat(&messages, None) else { break };
            let reached = reached as u64;
            if reached == target {
                break;
            }
            body = (body + target).saturating_sub(reached).max(1);
            made = make(body);
        }
        made
    }
}
