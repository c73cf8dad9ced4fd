//! The bodies that were sent, made again from the workload and the record.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use tokamark_client::{Conversation as _, Reply, Step};
use tokamark_record::{Phase, RequestRecord};

use crate::player::Player;
use crate::supply::Requests;

/// Plays conversations again along their record.
pub(crate) struct Payloads {
    requests: Arc<Requests>,
    /// Conversations that have turns to come.
    open: HashMap<(Phase, u64), Player>,
}

impl Payloads {
    pub(crate) fn new(requests: Arc<Requests>) -> Self {
        Self { requests, open: HashMap::new() }
    }

    /// The body of a request. The turns of a conversation must come in their order, as they do in its record. `None` where it
    /// cannot be told, as for children of conversations.
    pub(crate) fn of(&mut self, record: &RequestRecord) -> Option<Bytes> {
        let key = (record.phase, record.session);
        let player = match self.open.remove(&key) {
            Some(player) => player,
            None if record.turn == 0 => self.requests.player(record.phase, record.session)?,
            None => return None,
        };
        let prepared = player.prepare();
        if prepared.turn != record.turn || prepared.dataset_row != record.dataset_row {
            return None;
        }
        self.follow(key, player, record);
        Some(prepared.body)
    }

    fn follow(&mut self, key: (Phase, u64), mut player: Player, record: &RequestRecord) {
        if player.is_over() {
            return;
        }
        let reply = Reply::of(record);
        loop {
            match player.next(&reply) {
                Step::Send { .. } => {
                    self.open.insert(key, player);
                    return;
                }
                // Nobody waits here, and children are others' business.
                Step::Join | Step::Branch(_) => {}
                Step::End => return,
            }
        }
    }
}
