//! Running prose: sentences of a small grammar, always the same ones. Where a prompt begins in it is drawn.

use super::template::Writer;

/// Sentences of the corpus; about 24,000 words.
const SENTENCES: u32 = 2_000;
/// Sentences of a paragraph are so many at least, and at most twice as many.
const PARAGRAPH: u32 = 4;

const RULES: &[(&str, &[&str])] = &[
    (
        "sentence",
        &[
            "{who} {did} {what} {where}.",
            "{when}, {who} {did} {what}.",
            "{when}, {who} {did} {what} {where}, and {other} {felt} about it.",
            "{who} {said} that {other} {did} {what} {why}.",
            "Nobody {where} {felt} when {who} {did} {what}.",
            "If {other} {did} {what}, {who} would have to {do} {what} {where}.",
            "It was {quality} to {do} {what}, but {who} {did} it {how}.",
            "\"{remark},\" {said} {other} {how}, \"and {remark}.\"",
            "There were {number} {things} {where}, {number} of them {quality}.",
            "Why should {who} {do} {what} {why}?",
            "{who}, who {felt} {how}, {did} {what} {where} {why}.",
            "Between {thing} and {thing} {who} {did} {what}; {other} only {felt} {how}.",
        ],
    ),
    (
        "who",
        &[
            "the miller",
            "her eldest brother",
            "an old surveyor",
            "the keeper of the lighthouse",
            "a young clerk",
            "Marten",
            "the two sisters",
            "our neighbour",
            "the captain",
            "a travelling glazier",
            "Ilse",
            "the new teacher",
            "the boatman",
            "a doctor from the coast",
            "the gardener",
            "Tobin",
            "the printer",
            "somebody in the crowd",
        ],
    ),
    (
        "other",
        &[
            "the mayor",
            "his aunt",
            "the baker",
            "everyone else",
            "the stranger",
            "Agnes",
            "the night watchman",
            "a fisherman",
            "the children",
            "the engineer",
            "Ruben",
            "the landlady",
            "the rest of the crew",
            "an apprentice",
        ],
    ),
    (
        "did",
        &[
            "mended",
            "carried",
            "forgot",
            "described",
            "counted",
            "painted",
            "sold",
            "measured",
            "hid",
            "repaired",
            "copied",
            "borrowed",
            "examined",
            "polished",
            "returned",
            "dropped",
            "wrapped",
            "collected",
            "noticed",
            "compared",
        ],
    ),
    (
        "do",
        &[
            "mend", "carry", "forget", "describe", "count", "paint", "sell", "measure", "hide", "repair", "copy",
            "borrow", "examine", "polish", "return", "drop", "wrap", "collect", "notice", "compare",
        ],
    ),
    (
        "what",
        &[
            "the {quality} {thing}",
            "a {quality} {thing}",
            "{number} {things}",
            "the {thing} of {other}",
            "every {thing}",
            "the last {thing}",
            "a {thing} and {number} {things}",
            "most of the {things}",
        ],
    ),
    (
        "thing",
        &[
            "lantern",
            "ledger",
            "rope",
            "clock",
            "letter",
            "basket",
            "map",
            "kettle",
            "bridge",
            "window",
            "coat",
            "barrel",
            "ladder",
            "bell",
            "garden gate",
            "violin",
            "compass",
            "blanket",
            "mirror",
            "wheel",
            "drawer",
            "anchor",
        ],
    ),
    (
        "things",
        &[
            "lanterns", "ledgers", "ropes", "clocks", "letters", "baskets", "maps", "kettles", "windows", "coats",
            "barrels", "ladders", "bells", "apples", "stones", "candles", "coins", "boats", "tickets", "feathers",
            "chairs",
        ],
    ),
    (
        "quality",
        &[
            "heavy",
            "broken",
            "familiar",
            "narrow",
            "expensive",
            "quiet",
            "difficult",
            "green",
            "ancient",
            "useful",
            "damp",
            "bright",
            "unusual",
            "simple",
            "foreign",
            "wooden",
            "pleasant",
            "strange",
            "small",
            "dangerous",
        ],
    ),
    (
        "where",
        &[
            "behind the station",
            "by the river",
            "in the attic",
            "under the old bridge",
            "at the edge of the field",
            "near the harbour",
            "in front of the library",
            "on the second floor",
            "beyond the orchard",
            "along the canal",
            "in the empty hall",
            "at the end of the street",
            "outside the village",
            "on the hill",
        ],
    ),
    (
        "when",
        &[
            "In the morning",
            "After the storm",
            "That winter",
            "On the third day",
            "Before supper",
            "Late in the evening",
            "During the fair",
            "Once the fog had lifted",
            "At noon",
            "Every second Tuesday",
            "Long ago",
            "A week later",
            "While the rain lasted",
            "As soon as the train had gone",
        ],
    ),
    (
        "why",
        &[
            "because of the weather",
            "for no clear reason",
            "in spite of the cost",
            "without being asked",
            "to please the guests",
            "out of habit",
            "before the roads froze",
            "as a favour",
            "for the sake of peace",
            "since there was nothing else to do",
            "to save time",
        ],
    ),
    (
        "how",
        &[
            "slowly",
            "with great care",
            "at once",
            "almost silently",
            "in a hurry",
            "by mistake",
            "cheerfully",
            "again",
            "with both hands",
            "rather badly",
            "without a word",
            "more often than before",
        ],
    ),
    (
        "felt",
        &[
            "was glad",
            "worried",
            "laughed",
            "wondered",
            "complained",
            "was ashamed",
            "slept badly",
            "felt proud",
            "was surprised",
            "kept quiet",
            "grew impatient",
        ],
    ),
    ("said", &["said", "remembered", "insisted", "wrote", "admitted", "claimed", "whispered", "believed"]),
    (
        "remark",
        &[
            "we shall need {number} {things}",
            "the {thing} is still {quality}",
            "nobody asked for a {thing}",
            "it will rain before night",
            "you may keep the {thing}",
            "that is how we {do} {what}",
            "I have never seen a {quality} {thing}",
            "there is time enough",
        ],
    ),
    (
        "number",
        &[
            "two",
            "three",
            "four",
            "seven",
            "a dozen",
            "twenty",
            "some forty",
            "a hundred",
            "countless",
            "only five",
            "nine",
        ],
    ),
];

/// The corpus.
pub(super) fn text() -> String {
    let mut writer = Writer::new("prose", RULES);
    let mut text = String::new();
    let mut left = 0;
    for _ in 0..SENTENCES {
        if left == 0 {
            left = PARAGRAPH + writer.below(PARAGRAPH + 1);
            if !text.is_empty() {
                text.push_str("\n\n");
            }
        } else {
            text.push(' ');
        }
        left -= 1;
        let sentence = writer.write("{sentence}");
        let quote = usize::from(sentence.starts_with('"'));
        text.push_str(&sentence[..quote]);
        text.extend(sentence[quote..].chars().take(1).flat_map(char::to_uppercase));
        text.extend(sentence[quote..].chars().skip(1));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_long_plain_and_always_the_same() {
        let prose = text();
        assert!(prose.split_whitespace().count() > 20_000, "{}", prose.split_whitespace().count());
        assert!(!prose.contains(['{', '}', '_']) && prose.is_ascii());
        assert_eq!(prose, text());
        let sentences: std::collections::HashSet<&str> = prose.split(". ").collect();
        assert!(sentences.len() > 1_000, "{}", sentences.len());
    }
}
