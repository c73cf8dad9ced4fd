//! Stands in until the workload gives conversations itself.
use tokamark_conversation::Conversation;
use tokamark_workload::Workload;

pub(crate) trait Shim {
    fn conversation(&self, number: u64) -> Conversation;
    fn warmup_conversation(&self, number: u64) -> Conversation;
    fn row_of(&self, number: u64) -> u64;
    fn child(&self, name: &str) -> Option<Conversation>;
    fn starts_ms(&self) -> Option<&[f64]>;
    fn is_trace(&self) -> bool;
    fn skipped_lines(&self) -> u64;
    fn conversations(&self) -> Option<u64>;
    fn has_conversations(&self) -> bool;
}

impl Shim for Workload {
    fn conversation(&self, number: u64) -> Conversation {
        let turn = self.turn(number);
        Conversation::single(tokamark_report::conversation_id(turn.row), turn)
    }
    fn warmup_conversation(&self, number: u64) -> Conversation {
        let turn = self.warmup_turn(number);
        Conversation::single(tokamark_report::conversation_id(turn.row), turn)
    }
    fn row_of(&self, number: u64) -> u64 {
        self.rows().map_or(number, |rows| number % rows)
    }
    fn child(&self, _name: &str) -> Option<Conversation> {
        None
    }
    fn starts_ms(&self) -> Option<&[f64]> {
        None
    }
    fn is_trace(&self) -> bool {
        false
    }
    fn skipped_lines(&self) -> u64 {
        0
    }
    fn conversations(&self) -> Option<u64> {
        self.rows()
    }
    fn has_conversations(&self) -> bool {
        false
    }
}
