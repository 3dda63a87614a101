//! TLS: the certificate of a server, reloaded when its files change, and which servers a client trusts.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use rustls::{
    ClientConfig, DigitallySignedStruct, RootCertStore, ServerConfig, SignatureScheme,
    client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier},
    crypto::{
        CryptoProvider, WebPkiSupportedAlgorithms, ring, verify_tls12_signature, verify_tls13_signature,
    },
    pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime, pem::PemObject as _},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, TlsConnector, client};

/// How often to check whether the files have changed.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The certificate and key of a server, in files that may be replaced while it runs.
#[derive(Debug)]
pub struct Tls {
    certificate: PathBuf,
    key: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    config: Arc<ServerConfig>,
    modified: [Option<SystemTime>; 2],
    looked: Instant,
}

impl std::fmt::Debug for Loaded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Loaded").field("modified", &self.modified).finish_non_exhaustive()
    }
}

impl Tls {
    /// Reads a certificate chain and its key, both in PEM.
    ///
    /// # Errors
    /// Fails if one of them can't be read or is invalid, or they do not match.
    pub fn open(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> io::Result<Self> {
        let (certificate, key) = (certificate.into(), key.into());
        let modified = modified(&certificate, &key);
        let config = load(&certificate, &key)?;
        let loaded = Loaded { config, modified, looked: Instant::now() };
        Ok(Self { certificate, key, loaded: Mutex::new(loaded) })
    }

    /// Returns the acceptor for the next connection, with the current certificate. While the files hold no valid pair,
    /// the previous one is used.
    pub(crate) fn acceptor(&self) -> TlsAcceptor {
        let mut loaded = self.loaded.lock().unwrap_or_else(PoisonError::into_inner);
        if loaded.looked.elapsed() >= LOOK_EVERY {
            loaded.looked = Instant::now();
            let modified = modified(&self.certificate, &self.key);
            if modified != loaded.modified {
                loaded.modified = modified;
                match load(&self.certificate, &self.key) {
                    Ok(config) => {
                        tracing::info!("{} was reloaded", self.certificate.display());
                        loaded.config = config;
                    }
                    Err(error) => tracing::error!("still using the previous certificate: {error}"),
                }
            }
        }
        TlsAcceptor::from(Arc::clone(&loaded.config))
    }
}

fn modified(certificate: &Path, key: &Path) -> [Option<SystemTime>; 2] {
    [certificate, key].map(|file| fs::metadata(file).and_then(|file| file.modified()).ok())
}

fn load(certificate: &Path, key: &Path) -> io::Result<Arc<ServerConfig>> {
    let wrong = |file: &Path, what: &str, error: &dyn std::fmt::Display| {
        io::Error::other(format!("{}: {what}: {error}", file.display()))
    };
    let chain = certificates(certificate)?;
    let secret = PrivateKeyDer::from_pem_file(key);
    let secret = secret.map_err(|error| wrong(key, "not a private key in PEM", &error))?;
    let config = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .map_err(io::Error::other)?
        .with_no_client_auth()
        .with_single_cert(chain, secret)
        .map_err(|error| wrong(certificate, &format!("does not match {}", key.display()), &error))?;
    Ok(Arc::new(config))
}

/// Returns the certificates in a file; at least one.
fn certificates(file: &Path) -> io::Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(file).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let why = match read {
        Ok(chain) if !chain.is_empty() => return Ok(chain),
        Ok(_) => String::new(),
        Err(error) => format!(": {error}"),
    };
    Err(io::Error::other(format!("{}: contains no certificates in PEM{why}", file.display())))
}

/// Which servers a client trusts.
#[derive(Clone, Debug)]
pub enum Trust {
    /// Servers with a certificate chain to a root that this machine, or the file `SSL_CERT_FILE`, trusts.
    Machine,
    /// The server with the certificate in this file, whatever its name.
    Certificate(PathBuf),
}

impl Trust {
    fn config(&self) -> io::Result<ClientConfig> {
        let builder = ClientConfig::builder_with_provider(provider())
            .with_safe_default_protocol_versions()
            .map_err(io::Error::other)?;
        match self {
            Self::Machine => {
                let mut roots = RootCertStore::empty();
                let native = rustls_native_certs::load_native_certs();
                roots.add_parsable_certificates(native.certs);
                if roots.is_empty() {
                    let why =
                        "this machine has no trusted certificates; `SSL_CERT_FILE` names a file with some";
                    return Err(io::Error::other(why));
                }
                Ok(builder.with_root_certificates(roots).with_no_client_auth())
            }
            Self::Certificate(file) => {
                let trusted = certificates(file)?.swap_remove(0);
                let known = provider().signature_verification_algorithms;
                let only = Arc::new(Only { trusted, known });
                Ok(builder.dangerous().with_custom_certificate_verifier(only).with_no_client_auth())
            }
        }
    }

    /// Performs the handshake with a server of this name.
    pub(crate) async fn connect(
        &self,
        stream: TcpStream,
        name: &str,
    ) -> io::Result<client::TlsStream<TcpStream>> {
        let name = ServerName::try_from(name.to_owned()).map_err(io::Error::other)?;
        TlsConnector::from(Arc::new(self.config()?)).connect(name, stream).await
    }
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(ring::default_provider())
}

/// Trusts one certificate.
#[derive(Debug)]
struct Only {
    trusted: CertificateDer<'static>,
    known: WebPkiSupportedAlgorithms,
}

impl ServerCertVerifier for Only {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if *end_entity == self.trusted {
            return Ok(ServerCertVerified::assertion());
        }
        Err(rustls::Error::General("the server has another certificate".to_owned()))
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls12_signature(message, certificate, signed, &self.known)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        verify_tls13_signature(message, certificate, signed, &self.known)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.known.supported_schemes()
    }
}
