//! How the endpoint is reached.

use clap::Args;

/// Connections, time limits and TLS.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Connections")]
pub(crate) struct ConnectionArgs {
    /// When connections are opened: ahead (of the load, so that set-up is not part of any latency), lazy (when first
    /// needed) or per-request [default: ahead]
    #[arg(long, value_name = "WHEN")]
    pub(crate) connect: Option<String>,

    /// Whether connections are kept: pooled, never (one for each request) or sticky-user-sessions (one for each
    /// conversation) [default: pooled]
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) connection_reuse_strategy: Option<String>,

    /// Time limit of a request, from connecting to the last byte [default: 21600]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) request_timeout_seconds: Option<String>,

    /// Wait up to so many seconds for the model to answer before the run; 0 does not ask [default: 0]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) wait_for_model_timeout: Option<String>,

    /// PEM file with certificates to trust beside the system's
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_ca_file: Option<String>,

    /// PEM file with the client's certificate chain; needs --tls-key-file
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_cert_file: Option<String>,

    /// PEM file with the client's key; needs --tls-cert-file
    #[arg(long, value_name = "FILE")]
    pub(crate) tls_key_file: Option<String>,

    /// Accept any certificate
    #[arg(long)]
    pub(crate) tls_insecure: bool,
}
