//! TLS set-up: whom to trust, and who we are.

use std::path::Path;
use std::sync::Arc;

use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, RootCertStore, SignatureScheme};
use tokamark_plan::TlsPlan;

use crate::ClientError;

/// The client's TLS configuration for a plan. HTTP/2 over TLS is agreed on in the handshake (RFC 9113 §3.2).
pub(crate) fn config(plan: &TlsPlan, is_http2: bool) -> Result<Arc<ClientConfig>, ClientError> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| ClientError::Tls(error.to_string()))?;
    let builder = if plan.insecure {
        builder.dangerous().with_custom_certificate_verifier(Arc::new(TrustAnything(provider)))
    } else {
        builder.with_root_certificates(roots(plan)?)
    };
    let mut config = match (&plan.certificate_file, &plan.key_file) {
        (Some(certificate), Some(key)) => builder
            .with_client_auth_cert(certificates(certificate)?, private_key(key)?)
            .map_err(|error| ClientError::Tls(format!("the client certificate is not usable: {error}")))?,
        (None, None) => builder.with_no_client_auth(),
        _ => {
            return Err(ClientError::Tls(
                "a client certificate needs both a certificate file and a key file".to_owned(),
            ));
        }
    };
    if is_http2 {
        config.alpn_protocols = vec![b"h2".to_vec()];
    }
    Ok(Arc::new(config))
}

/// The system's roots, or Mozilla's where the system has none, and the user's own.
fn roots(plan: &TlsPlan) -> Result<RootCertStore, ClientError> {
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if let Some(path) = &plan.ca_file {
        for certificate in certificates(path)? {
            roots.add(certificate).map_err(|error| file_error(path, &error.to_string()))?;
        }
    }
    Ok(roots)
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, ClientError> {
    let found = CertificateDer::pem_file_iter(path)
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|error| file_error(path, &error.to_string()))?;
    if found.is_empty() { Err(file_error(path, "it holds no PEM certificate")) } else { Ok(found) }
}

fn private_key(path: &Path) -> Result<PrivateKeyDer<'static>, ClientError> {
    PrivateKeyDer::from_pem_file(path).map_err(|error| file_error(path, &error.to_string()))
}

fn file_error(path: &Path, reason: &str) -> ClientError {
    ClientError::TlsFile { path: path.to_owned(), reason: reason.to_owned() }
}

/// `--tls-insecure`: any certificate will do, but its signatures must still be right.
#[derive(Debug)]
struct TrustAnything(Arc<CryptoProvider>);

impl ServerCertVerifier for TrustAnything {
    fn verify_server_cert(
        &self,
        _end_entity: &CertificateDer<'_>,
        _intermediates: &[CertificateDer<'_>],
        _server_name: &ServerName<'_>,
        _ocsp_response: &[u8],
        _now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signature, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
