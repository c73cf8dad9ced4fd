//! `tokamark serve`: the simulated engine on a port of its own. Its flags are the engine's options.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use clap::{Arg, ArgMatches, Command};
use tokamark_plan::TokenizerPlan;
use tokamark_sim::{OPTIONS, Server, SimConfig};
use tokamark_tokenizer::resolve;

use crate::cli::{Invocation, could_not_run, usage_error};
use crate::console::print;
use crate::exit_code;
use crate::problems::Problems;
use crate::simulated::encoder;

const DEFAULT_HOST: &str = "127.0.0.1";
const DEFAULT_PORT: u16 = 8000;

pub(crate) fn command() -> Command {
    let engine = OPTIONS.iter().map(|option| {
        let default = if option.default.is_empty() { String::new() } else { format!(" [default: {}]", option.default) };
        Arg::new(option.name)
            .long(option.name)
            .visible_aliases(option.aliases)
            .value_name(option.value_name)
            .help(format!("{}{default}", option.help))
            .help_heading("Engine")
    });
    let flag = |name: &'static str, value: &'static str, help: String| {
        Arg::new(name).long(name).value_name(value).help(help).help_heading("Address")
    };
    Command::new("serve")
        .about("Serves a simulated engine: the same API as a real one, over real sockets, without a model")
        .after_help("The options of the engine are those of `--url sim:?option=value&…` as well.")
        .next_line_help(true)
        .arg(flag("host", "ADDRESS", format!("Address to listen on [default: {DEFAULT_HOST}]")))
        .arg(flag("port", "PORT", format!("Port to listen on; 0 takes a free one [default: {DEFAULT_PORT}]")))
        .arg(flag(
            "grpc-port",
            "PORT",
            "Port to listen on as well, where clients of Triton's gRPC look for it: 8001. Both ports speak HTTP and gRPC"
                .to_owned(),
        ))
        .args(engine)
        .arg(
            Arg::new("tokenizer")
                .long("tokenizer")
                .value_name("NAME")
                .help("Count prompt tokens with this tokenizer (see `tokamark profile --help`) rather than as --count says")
                .help_heading("Engine"),
        )
}

pub(crate) fn run(invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let address = address(&invocation.matches, &mut problems);
    let grpc_port = port("grpc-port", &invocation.matches, &mut problems);
    let config = config(&invocation.matches, &mut problems);
    let Some(address) = address.filter(|_| problems.is_empty()) else {
        return usage_error("serve", &problems);
    };
    let tokenizer = invocation.matches.get_one::<String>("tokenizer");
    let second = grpc_port.map(|port| SocketAddr::new(address.ip(), port));
    serve(config, address, second, tokenizer).unwrap_or_else(|error| could_not_run(&error))
}

fn serve(
    config: SimConfig,
    address: SocketAddr,
    second: Option<SocketAddr>,
    tokenizer: Option<&String>,
) -> anyhow::Result<u8> {
    // Listened for before there is anything to stop, so that no signal is missed.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        use tokio::signal::unix::{SignalKind, signal};
        let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let mut server = match tokenizer {
            Some(name) => {
                let plan = TokenizerPlan { name: Some(name.clone()), ..TokenizerPlan::builtin() };
                Server::start_with_tokenizer(config, address, encoder(resolve(&plan, &[])?.tokenizer))?
            }
            None => Server::start(config, address)?,
        };
        print(&format!("listening on http://{}\n", server.addr()))?;
        if let Some(address) = second {
            print(&format!("listening on http://{}\n", server.listen_too(address)?))?;
        }
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
        server.shutdown()?;
        Ok(exit_code::OK)
    })
}

fn address(matches: &ArgMatches, problems: &mut Problems) -> Option<SocketAddr> {
    let port = port("port", matches, problems).unwrap_or(DEFAULT_PORT);
    let host = matches.get_one::<String>("host").map_or(DEFAULT_HOST, String::as_str);
    let plain = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(ip) = plain.parse::<IpAddr>() {
        return Some(SocketAddr::new(ip, port));
    }
    let found = (host, port).to_socket_addrs().ok().and_then(|mut all| all.next());
    if found.is_none() {
        problems.add("--host", format!("`{host}` is neither an address nor a name that resolves to one"));
    }
    found
}

fn port(name: &str, matches: &ArgMatches, problems: &mut Problems) -> Option<u16> {
    let port = matches.get_one::<String>(name)?.parse().ok();
    if port.is_none() {
        problems.add(&format!("--{name}"), "is not a port: it must be a whole number from 0 to 65535");
    }
    port
}

fn config(matches: &ArgMatches, problems: &mut Problems) -> SimConfig {
    let mut config = SimConfig::default();
    for option in OPTIONS {
        if let Some(value) = matches.get_one::<String>(option.name)
            && let Err(error) = option.set(&mut config, value)
        {
            problems.add(&format!("--{}", option.name), error.to_string());
        }
    }
    if let Err(error) = config.check() {
        problems.add_general(error.to_string());
    }
    config
}
