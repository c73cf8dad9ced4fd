//! What is said to a model: conversations and their turns. Sources of prompts give them, API dialects put them into bodies.

mod conversation;
mod media;
mod turn;

pub use conversation::{Branch, Children, Conversation, History};
pub use media::{Audio, Image, Video};
pub use turn::{Prompt, TextGroup, Turn};
