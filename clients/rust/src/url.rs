//! The place to connect to: `heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host`.

use crate::errors::{Error, Kind};

const DEFAULT_PORT: u16 = 7420;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Host {
    pub name: String,
    pub port: u16,
}

impl std::fmt::Display for Host {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.name.contains(':') {
            write!(f, "[{}]:{}", self.name, self.port)
        } else {
            write!(f, "{}:{}", self.name, self.port)
        }
    }
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    pub hosts: Vec<Host>,
    pub tls: bool,
    pub ca: Option<String>,
    pub cert: Option<String>,
    pub key: Option<String>,
    pub name: Option<String>,
}

fn none<T>(text: impl Into<String>) -> Result<T, Error> {
    Err(Error::new(Kind::CannotConnect, text))
}

impl Target {
    pub(crate) fn parse(text: &str) -> Result<Target, Error> {
        let (is_tls, rest) = if let Some(rest) = text.strip_prefix("heddle://") {
            (false, rest)
        } else if let Some(rest) = text.strip_prefix("heddles://") {
            (true, rest)
        } else {
            return none("a URL of Heddle begins with heddle:// or heddles://");
        };
        let (places, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (places, path) = places.split_once('/').unwrap_or((places, ""));
        if !path.is_empty() || places.contains('@') {
            return none("a URL of Heddle has no path and no user: pass the token with `token` or HEDDLE_TOKEN");
        }
        let mut made = Target { tls: is_tls, ..Target::default() };
        let mut choice = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = decoded(value)?;
            let place = match name {
                "tls" if value == "on" || value == "off" => {
                    choice = Some(value == "on");
                    continue;
                }
                "tls" => return none("tls is on or off"),
                "ca" => &mut made.ca,
                "cert" => &mut made.cert,
                "key" => &mut made.key,
                "name" => &mut made.name,
                _ => return none(format!("{name:.40} is no option of a URL of Heddle: use tls, ca, cert, key, name")),
            };
            *place = Some(value);
            made.tls = true;
        }
        if choice == Some(false) && made.tls {
            return none("tls=off and what belongs to TLS exclude each other");
        }
        made.tls = made.tls || choice == Some(true);
        made.hosts = places.split(',').map(host).collect::<Result<_, _>>()?;
        Ok(made)
    }
}

fn host(place: &str) -> Result<Host, Error> {
    let (name, port) = if let Some(rest) = place.strip_prefix('[') {
        rest.split_once(']').unwrap_or(("", ""))
    } else {
        place.find(':').map_or((place, ""), |at| place.split_at(at))
    };
    let number = match port.strip_prefix(':') {
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => digits.parse().unwrap_or(0),
        None if port.is_empty() => DEFAULT_PORT,
        _ => 0,
    };
    if name.is_empty() || number == 0 {
        return none(format!("{place:.40} is no host, host:port or [address]:port"));
    }
    Ok(Host { name: name.to_string(), port: number })
}

/// Text of a query: `%2f` is a byte, `+` is a space.
fn decoded(text: &str) -> Result<String, Error> {
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        let made = match byte {
            b'+' => Some(b' '),
            b'%' => match (bytes.next().and_then(digit), bytes.next().and_then(digit)) {
                (Some(high), Some(low)) => Some(high * 16 + low),
                _ => None,
            },
            other => Some(other),
        };
        match made {
            Some(made) => out.push(made),
            None => return none("the options of the URL cannot be read"),
        }
    }
    String::from_utf8(out).or_else(|_| none("the options of the URL cannot be read"))
}

fn digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_ports_and_options_are_read() {
        let made = Target::parse("heddle://a,b:1,[::1]:2,[::1]?ca=%2Fx+y&name=n").unwrap();
        let hosts: Vec<String> = made.hosts.iter().map(Host::to_string).collect();
        assert_eq!(hosts, ["a:7420", "b:1", "[::1]:2", "[::1]:7420"]);
        assert_eq!((made.tls, made.ca.as_deref(), made.name.as_deref()), (true, Some("/x y"), Some("n")));
        assert!(!Target::parse("heddle://a?tls=off").unwrap().tls);
    }

    #[test]
    fn urls_that_are_none_say_why() {
        for (url, word) in [
            ("http://localhost", "begins with heddle://"),
            ("heddle://a:b", "is no host"),
            ("heddle://a?x=1", "no option"),
            ("heddle://user@a", "token"),
            ("heddle://a/path", "no path"),
            ("heddle://a?tls=maybe", "on or off"),
            ("heddles://a?tls=off", "exclude"),
            ("heddle://", "is no host"),
            ("heddle://a:70000", "is no host"),
            ("heddle://a:", "is no host"),
            ("heddle://[::1", "is no host"),
            ("heddle://a?ca=%é", "cannot be read"),
        ] {
            let told = Target::parse(url).unwrap_err().to_string();
            assert!(told.contains(word), "{url}: {told}");
        }
    }
}
