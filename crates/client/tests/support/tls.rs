//! Certificates made for a test.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};

/// A certificate authority with its files in a folder that goes away with it.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    folder: tempfile::TempDir,
}

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("ca.pem"), issuer.pem()).unwrap();
        Self { issuer, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file with the authority's own certificate.
    pub(crate) fn file(&self) -> PathBuf {
        self.folder().join("ca.pem")
    }

    /// A certificate for a name, and its key, as PEM.
    fn issue(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let certificate = CertificateParams::new(vec![name.to_owned()]).unwrap().signed_by(&key, &self.issuer).unwrap();
        (certificate.pem(), key.serialize_pem())
    }

    /// Files of a client's certificate and key.
    pub(crate) fn client_files(&self) -> (PathBuf, PathBuf) {
        let (certificate, key) = self.issue("client.example");
        let files = (self.folder().join("client.pem"), self.folder().join("client.key"));
        std::fs::write(&files.0, certificate).unwrap();
        std::fs::write(&files.1, key).unwrap();
        files
    }

    /// A server of that name; with `wants_client` it asks for a certificate of this authority.
    pub(crate) fn server(&self, name: &str, wants_client: bool) -> Arc<ServerConfig> {
        let (certificate, key) = self.issue(name);
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider)).with_safe_default_protocol_versions();
        let builder = builder.unwrap();
        let builder = if wants_client {
            let mut roots = RootCertStore::empty();
            roots.add(CertificateDer::from_pem_slice(self.issuer.pem().as_bytes()).unwrap()).unwrap();
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build().unwrap();
            builder.with_client_cert_verifier(verifier)
        } else {
            builder.with_no_client_auth()
        };
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).unwrap();
        Arc::new(builder.with_single_cert(vec![certificate], key).unwrap())
    }
}
