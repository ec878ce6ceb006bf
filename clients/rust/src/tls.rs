//! TLS: whom to trust, as whom to come, and the server's name.

use std::convert::TryFrom;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::SystemTime;

use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;
use tokio_rustls::rustls::client::{ServerCertVerified, ServerCertVerifier, WebPkiVerifier};
use tokio_rustls::rustls::{self, Certificate, ClientConfig, PrivateKey, RootCertStore, ServerName};
use tokio_rustls::TlsConnector;

use crate::url::Target;

/// The algorithms that may sign a certificate.
static ALGORITHMS: &[&webpki::SignatureAlgorithm] = &[
    &webpki::ECDSA_P256_SHA256,
    &webpki::ECDSA_P256_SHA384,
    &webpki::ECDSA_P384_SHA256,
    &webpki::ECDSA_P384_SHA384,
    &webpki::ED25519,
    &webpki::RSA_PSS_2048_8192_SHA256_LEGACY_KEY,
    &webpki::RSA_PSS_2048_8192_SHA384_LEGACY_KEY,
    &webpki::RSA_PSS_2048_8192_SHA512_LEGACY_KEY,
    &webpki::RSA_PKCS1_2048_8192_SHA256,
    &webpki::RSA_PKCS1_2048_8192_SHA384,
    &webpki::RSA_PKCS1_2048_8192_SHA512,
    &webpki::RSA_PKCS1_3072_8192_SHA384,
];

/// Object identifier 2.5.29.17: the names that a certificate is for.
const SUBJECT_ALT_NAME: &[u8] = &[0x55, 0x1d, 0x11];

pub(crate) async fn open(
    target: &Target,
    own: Option<Arc<ClientConfig>>,
    host: &str,
    socket: TcpStream,
) -> Result<TlsStream<TcpStream>, String> {
    let name = target.name.as_deref().unwrap_or(host);
    let server = ServerName::try_from(name).map_err(|_| format!("{name:.100} is no name of a server"))?;
    let mut config = match own {
        Some(config) => config.as_ref().clone(),
        None => config(target)?,
    };
    config.alpn_protocols = vec![b"heddle/1".to_vec()];
    TlsConnector::from(Arc::new(config)).connect(server, socket).await.map_err(|error| error.to_string())
}

/// Files are read at each new connection, so that renewed certificates count.
fn config(target: &Target) -> Result<ClientConfig, String> {
    let anchors = match &target.ca {
        Some(file) => certificates(file)?,
        None => rustls_native_certs::load_native_certs()
            .map_err(|error| format!("the authorities of the system cannot be read: {error}"))?
            .into_iter()
            .map(|certificate| certificate.0)
            .collect(),
    };
    let verifier = Arc::new(Verifier::new(anchors)?);
    let builder = ClientConfig::builder().with_safe_defaults().with_custom_certificate_verifier(verifier);
    match &target.cert {
        Some(cert) => {
            let chain = certificates(cert)?.into_iter().map(Certificate).collect();
            let key = private_key(target.key.as_ref().unwrap_or(cert))?;
            builder.with_single_cert(chain, key).map_err(|error| format!("{cert}: {error}"))
        }
        None => Ok(builder.with_no_client_auth()),
    }
}

fn items(file: &str) -> Result<Vec<rustls_pemfile::Item>, String> {
    let pem = std::fs::read(file).map_err(|error| format!("{file}: {error}"))?;
    rustls_pemfile::read_all(&mut pem.as_slice()).map_err(|error| format!("{file}: {error}"))
}

fn certificates(file: &str) -> Result<Vec<Vec<u8>>, String> {
    let mut found = Vec::new();
    for item in items(file)? {
        if let rustls_pemfile::Item::X509Certificate(der) = item {
            found.push(der);
        }
    }
    if found.is_empty() {
        return Err(format!("{file} holds no certificate in PEM form"));
    }
    Ok(found)
}

fn private_key(file: &str) -> Result<PrivateKey, String> {
    use rustls_pemfile::Item::{ECKey, PKCS8Key, RSAKey};
    let found = items(file)?.into_iter().find_map(|item| match item {
        RSAKey(der) | PKCS8Key(der) | ECKey(der) => Some(PrivateKey(der)),
        _ => None,
    });
    found.ok_or_else(|| format!("{file} holds no private key in PEM form"))
}

/// The checks of rustls, and those of an address in place of a name, which this rustls does not have.
struct Verifier {
    names: WebPkiVerifier,
    anchors: Vec<Vec<u8>>,
}

impl Verifier {
    fn new(anchors: Vec<Vec<u8>>) -> Result<Verifier, String> {
        let mut roots = RootCertStore::empty();
        let (added, _) = roots.add_parsable_certificates(&anchors);
        if added == 0 {
            return Err("there is no authority to trust".to_string());
        }
        Ok(Verifier { names: WebPkiVerifier::new(roots, None), anchors })
    }

    fn verify_address(
        &self,
        end: &Certificate,
        between: &[Certificate],
        address: &IpAddr,
        now: SystemTime,
    ) -> Result<(), String> {
        let anchors: Vec<_> =
            self.anchors.iter().filter_map(|der| webpki::TrustAnchor::try_from_cert_der(der).ok()).collect();
        let chain: Vec<&[u8]> = between.iter().map(|certificate| certificate.0.as_slice()).collect();
        let now = webpki::Time::try_from(now).map_err(|_| "the time is not known".to_string())?;
        webpki::EndEntityCert::try_from(end.0.as_slice())
            .and_then(|certificate| {
                let trusted = webpki::TlsServerTrustAnchors(&anchors);
                certificate.verify_is_valid_tls_server_cert(ALGORITHMS, &trusted, &chain, now)
            })
            .map_err(|error| error.to_string())?;
        if addresses(&end.0).unwrap_or_default().contains(address) {
            return Ok(());
        }
        Err(format!("the certificate is not for {address}"))
    }
}

impl ServerCertVerifier for Verifier {
    fn verify_server_cert(
        &self,
        end_entity: &Certificate,
        intermediates: &[Certificate],
        server_name: &ServerName,
        scts: &mut dyn Iterator<Item = &[u8]>,
        ocsp_response: &[u8],
        now: SystemTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        if let ServerName::IpAddress(address) = server_name {
            self.verify_address(end_entity, intermediates, address, now)
                .map_err(rustls::Error::InvalidCertificateData)?;
            return Ok(ServerCertVerified::assertion());
        }
        self.names.verify_server_cert(end_entity, intermediates, server_name, scts, ocsp_response, now)
    }
}

/// The next element of DER: its tag, its content, and the rest.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, first) = (*bytes.first()?, usize::from(*bytes.get(1)?));
    let (length, start) = if first < 0x80 {
        (first, 2)
    } else {
        let count = first - 0x80;
        let digits = bytes.get(2..2 + count).filter(|_| (1..=4).contains(&count))?;
        (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), 2 + count)
    };
    let end = start.checked_add(length)?;
    Some((tag, bytes.get(start..end)?, bytes.get(end..)?))
}

/// The content of the next element, which must have this tag, and the rest.
fn expect(tag: u8, bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    element(bytes).filter(|found| found.0 == tag).map(|found| (found.1, found.2))
}

/// The addresses among the names that a certificate is for.
fn addresses(certificate: &[u8]) -> Option<Vec<IpAddr>> {
    let (signed, _) = expect(0x30, expect(0x30, certificate)?.0)?;
    let mut rest = signed;
    let mut extensions = loop {
        let (tag, content, after) = element(rest)?;
        if tag == 0xa3 {
            break expect(0x30, content)?.0;
        }
        rest = after;
    };
    while !extensions.is_empty() {
        let (extension, after) = expect(0x30, extensions)?;
        extensions = after;
        let (name, mut value) = expect(0x06, extension)?;
        if name != SUBJECT_ALT_NAME {
            continue;
        }
        // `critical` may stand between.
        if let Some((_, behind)) = expect(0x01, value) {
            value = behind;
        }
        let mut names = expect(0x30, expect(0x04, value)?.0)?.0;
        let mut found = Vec::new();
        while !names.is_empty() {
            let (tag, content, after) = element(names)?;
            names = after;
            if tag == 0x87 {
                let four = <[u8; 4]>::try_from(content).map(IpAddr::from);
                found.extend(four.or_else(|_| <[u8; 16]>::try_from(content).map(IpAddr::from)));
            }
        }
        return Some(found);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn der(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
        let content = parts.concat();
        [&[tag, 0x82, (content.len() >> 8) as u8, content.len() as u8], content.as_slice()].concat()
    }

    /// As much of a certificate as matters here.
    fn certificate(names: &[&[u8]]) -> Vec<u8> {
        let names = der(0x04, &[&der(0x30, names)]);
        let other = der(0x30, &[&der(0x06, &[&[0x55, 0x1d, 0x13]]), &der(0x01, &[&[0xff]]), &der(0x04, &[])]);
        let own = der(0x30, &[&der(0x06, &[SUBJECT_ALT_NAME]), &der(0x01, &[&[0xff]]), &names]);
        let signed = der(0x30, &[&der(0x02, &[&[1]]), &der(0xa3, &[&der(0x30, &[&other, &own])])]);
        der(0x30, &[&signed, &der(0x03, &[&[0]])])
    }

    #[test]
    fn addresses_are_found_among_other_names() {
        let six = der(0x87, &[&[0; 15], &[1]]);
        let made =
            certificate(&[&der(0x82, &[b"localhost"]), &der(0x87, &[&[127, 0, 0, 1]]), &six, &der(0x87, &[&[9; 5]])]);
        let wanted: Vec<IpAddr> = vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()];
        assert_eq!(addresses(&made), Some(wanted));
        assert_eq!(addresses(&der(0x30, &[&der(0x30, &[&der(0x02, &[&[1]])])])), None);
    }

    #[test]
    fn no_bytes_of_a_certificate_panic() {
        let made = certificate(&[&der(0x87, &[&[127, 0, 0, 1]])]);
        for at in 0..made.len() {
            assert_eq!(addresses(&made[..at]), None);
            for value in 0..=255 {
                let mut changed = made.clone();
                changed[at] = value;
                let _ = addresses(&changed);
            }
        }
    }
}
