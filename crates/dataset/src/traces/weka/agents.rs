//! Telling the agents of one list of requests apart.

use super::parse::Request;

/// The share of the shorter of two prompts that must be the same for them to be one agent's.
const OVERLAP: f64 = 0.5;

/// The requests of each agent, in the order of time; the first agent is the one that began. A request belongs to the
/// agent whose last request it has most blocks in common with, if these are at least half of the shorter of the two;
/// of several it is the one that was active last. A request without blocks belongs to the agent that was active last.
pub(super) fn apart(requests: Vec<Request>) -> Vec<Vec<Request>> {
    let mut agents: Vec<Vec<Request>> = Vec::new();
    // The agents in the order in which they were active.
    let mut active: Vec<usize> = Vec::new();
    for request in requests {
        let mut best: Option<(usize, usize)> = None;
        for &agent in active.iter().rev() {
            let Some(last) = agents[agent].last() else { continue };
            let common = common(&last.hash_ids, &request.hash_ids);
            let shorter = last.hash_ids.len().min(request.hash_ids.len());
            if common as f64 >= OVERLAP * shorter as f64 && best.is_none_or(|(_, most)| common > most) {
                best = Some((agent, common));
            }
        }
        let agent = best.map_or(agents.len(), |(agent, _)| agent);
        active.retain(|other| *other != agent);
        active.push(agent);
        match agents.get_mut(agent) {
            Some(requests) => requests.push(request),
            None => agents.push(vec![request]),
        }
    }
    agents
}

fn common(a: &[u64], b: &[u64]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use tokamark_trace::Span;

    use super::*;

    fn agents_of(requests: &[&[u64]]) -> Vec<Vec<f64>> {
        let requests = requests.iter().zip(0u8..).map(|(hash_ids, at)| Request {
            span: Span::moment(at.into()),
            think_ms: None,
            input_tokens: 1,
            output_tokens: 1,
            hash_ids: hash_ids.to_vec(),
        });
        let agents = apart(requests.collect());
        agents.iter().map(|requests| requests.iter().map(|request| request.span.start_ms).collect()).collect()
    }

    #[test]
    fn requests_that_go_on_from_another_are_its_agents() {
        let agents = agents_of(&[&[1, 2, 3], &[1, 9, 8, 7], &[1, 2, 3, 4], &[1, 9, 8, 7, 6], &[1, 2, 3, 4, 5]]);
        assert_eq!(agents, [vec![0.0, 2.0, 4.0], vec![1.0, 3.0]]);
    }

    #[test]
    fn the_longest_common_beginning_decides() {
        assert_eq!(agents_of(&[&[1, 2], &[1, 3], &[1, 3, 4]]), [vec![0.0, 1.0, 2.0]]);
        assert_eq!(agents_of(&[&[1, 2, 3, 4], &[1, 5, 6, 7], &[1, 5, 6, 8]]), [vec![0.0], vec![1.0, 2.0]]);
    }

    #[test]
    fn requests_without_blocks_are_one_agents() {
        assert_eq!(agents_of(&[&[], &[], &[]]), [[0.0, 1.0, 2.0]]);
    }
}
