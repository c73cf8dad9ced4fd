//! Which conversation begins which, and what is wrong with that.

use std::collections::HashMap;

use tokamark_conversation::History;

use crate::fault::Place;

/// One conversation begins another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    /// The field that says so.
    pub(super) field: String,
    pub(super) child: String,
    /// The child continues this conversation's history.
    pub(super) is_fork: bool,
}

#[derive(Debug)]
struct Node {
    id: String,
    file: usize,
    place: Place,
    history: History,
    links: Vec<Link>,
    is_out: bool,
}

/// What is wrong with a link.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct GraphFault {
    /// The conversation.
    pub(super) node: usize,
    pub(super) field: String,
    pub(super) reason: String,
}

/// All conversations and their links.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<String, usize>,
}

impl Graph {
    pub(super) fn add(&mut self, id: String, file: usize, place: Place, history: History, links: Vec<Link>) {
        self.numbers.insert(id.clone(), self.nodes.len());
        self.nodes.push(Node { id, file, place, history, links, is_out: false });
    }

    /// Where the conversation of a name was.
    pub(super) fn place_of(&self, id: &str) -> Option<String> {
        let node = &self.nodes[*self.numbers.get(id)?];
        Some(match node.place {
            Place::Line(line) => format!("line {line}"),
            Place::Row(row) => format!("row {row}"),
            Place::Whole => "another".to_owned(),
        })
    }

    /// Which conversations no other begins, in order; nothing for those that were left out.
    pub(super) fn roots(&self) -> Vec<Option<bool>> {
        let mut roots: Vec<Option<bool>> = self.nodes.iter().map(|node| (!node.is_out).then_some(true)).collect();
        for link in self.nodes.iter().filter(|node| !node.is_out).flat_map(|node| &node.links) {
            if let Some(&child) = self.numbers.get(&link.child) {
                roots[child] = Some(false);
            }
        }
        roots
    }

    /// Leaves a conversation out.
    pub(super) fn leave_out(&mut self, node: usize) {
        self.numbers.remove(&self.nodes[node].id);
        self.nodes[node].is_out = true;
    }

    /// The file and the place of a conversation.
    pub(super) fn place(&self, node: usize) -> (usize, Place) {
        (self.nodes[node].file, self.nodes[node].place)
    }

    /// Children that do not exist, circles, and forks that cannot be.
    pub(super) fn faults(&self) -> Vec<GraphFault> {
        let mut faults = Vec::new();
        for (number, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.is_out) {
            let mut fault = |link: &Link, reason: String| {
                faults.push(GraphFault { node: number, field: link.field.clone(), reason });
            };
            for link in &node.links {
                match self.numbers.get(&link.child) {
                    None => fault(link, format!("names {}, which is no session of the file", link.child)),
                    Some(&child) if link.is_fork && self.nodes[child].history == History::None => {
                        let reason = "whose context mode is message_array_with_responses, so it takes no history over";
                        fault(link, format!("forks {}, {reason}", link.child));
                    }
                    Some(_) => {}
                }
            }
        }
        self.circle(&mut faults);
        faults
    }

    /// Finds one link that closes a circle.
    fn circle(&self, faults: &mut Vec<GraphFault>) {
        // 0: not seen, 1: on the way, 2: done. Not recursive, because chains may be long.
        let mut states = vec![0u8; self.nodes.len()];
        for start in 0..self.nodes.len() {
            if states[start] != 0 || self.nodes[start].is_out {
                continue;
            }
            states[start] = 1;
            let mut way = vec![(start, 0)];
            while let Some((number, next)) = way.last_mut() {
                let (number, index) = (*number, *next);
                let node = &self.nodes[number];
                *next += 1;
                let Some(link) = node.links.get(index) else {
                    states[number] = 2;
                    way.pop();
                    continue;
                };
                let Some(&child) = self.numbers.get(&link.child) else { continue };
                match states[child] {
                    0 => {
                        states[child] = 1;
                        way.push((child, 0));
                    }
                    1 => {
                        let reason = format!("begins {}, which begins {} itself", link.child, node.id);
                        let reason = if node.id == link.child { "begins itself".to_owned() } else { reason };
                        let field = link.field.clone();
                        faults.push(GraphFault { node: number, field, reason });
                        return;
                    }
                    _ => {}
                }
            }
        }
    }
}
