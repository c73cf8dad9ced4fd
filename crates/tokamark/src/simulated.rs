//! Simulated engines behind `--url sim:`: started in this process, on free ports of the loopback interface.

use std::net::{Ipv4Addr, SocketAddr};
use std::str::FromStr;

use std::sync::Arc;

use tokamark_plan::Plan;
use tokamark_plan::target_url::{Endpoint, endpoint_url, is_simulated};
use tokamark_sim::{Server, SimConfig, TokenEncoder};
use tokamark_tokenizer::Tokenizer;
use tokamark_tokenizer::resolve;

/// Engines that run until they are dropped.
#[derive(Default)]
pub(crate) struct Engines(Vec<Server>);

impl Engines {
    /// Starts an engine for each `sim:` URL of the plan and puts its address in the place of that URL. The engines count
    /// prompts with the plan's tokenizer, unless the URL says how to count.
    ///
    /// # Errors
    /// An engine could not be started, or there is no such tokenizer.
    pub(crate) fn start(plan: &mut Plan, endpoint_path: Option<&str>) -> anyhow::Result<Self> {
        let mut engines = Self::default();
        let target = &mut plan.target;
        for url in target.urls.iter_mut().filter(|url| is_simulated(url)) {
            let config = SimConfig::from_str(url)?;
            let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
            let server = if says_how_to_count(url) {
                Server::start(config, address)?
            } else {
                let tokenizer = resolve(&plan.workload.tokenizer, &target.models)?.tokenizer;
                Server::start_with_tokenizer(config, address, encoder(tokenizer))?
            };
            // What runs in this process is never behind a proxy.
            target.proxy.exceptions.push(server.addr().ip().to_string());
            let model = target.models.first().map(String::as_str).unwrap_or_default();
            let wanted = Endpoint { kind: target.endpoint, model, streaming: target.streaming, path: endpoint_path };
            *url = endpoint_url(&server.addr().to_string(), wanted)?;
            engines.0.push(server);
        }
        Ok(engines)
    }

    /// Stops all of them and writes their logs out.
    ///
    /// # Errors
    /// A log could not be written.
    pub(crate) fn stop(self) -> anyhow::Result<()> {
        self.0.into_iter().try_for_each(|server| Ok(server.shutdown()?))
    }
}

/// Reads prompts with a tokenizer.
pub(crate) fn encoder(tokenizer: Tokenizer) -> TokenEncoder {
    Arc::new(move |text: &str| tokenizer.encode(text))
}

fn says_how_to_count(url: &str) -> bool {
    url.split(['?', '&']).any(|option| option.split('=').next() == Some("count"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// So that a client that counts agrees with the engine's usage.
    #[test]
    fn an_answer_of_the_engine_has_as_many_tokens_as_it_says() {
        let tokenizer = Tokenizer::builtin();
        for first in 0..256 {
            for count in [1, 2, 7, 300] {
                let text: String = (first..first + count).map(tokamark_sim::word).collect();
                assert_eq!(tokenizer.count(&text) as u64, count, "{text}");
            }
        }
    }
}
