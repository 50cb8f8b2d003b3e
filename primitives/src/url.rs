//! Base URLs of data planes, as the chain stores them.

use frame_support::{pallet_prelude::ConstU32, BoundedVec};

/// Longest base URL, in bytes.
pub const MAX_URL: u32 = 256;

/// A base URL.
pub type Url = BoundedVec<u8, ConstU32<MAX_URL>>;

/// Why bytes are not a base URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UrlError {
	/// It does not begin with `http://` or `https://`.
	Scheme,
	/// It has a space, credentials, a query, a fragment or a character that is not printable ASCII.
	Character,
	/// It names no host.
	Host,
	/// Its port is not a number from 1 to 65,535.
	Port,
}

/// Whether `url` is a plain http or https base URL. Whether its host may be asked is decided by
/// whoever fetches.
pub fn check(url: &[u8]) -> Result<(), UrlError> {
	let rest = url
		.strip_prefix(b"https://")
		.or_else(|| url.strip_prefix(b"http://"))
		.ok_or(UrlError::Scheme)?;
	let allowed = |b: &u8| b.is_ascii_graphic() && !b"@?#\\\"<>^`{|}".contains(b);
	if !rest.iter().all(allowed) {
		return Err(UrlError::Character);
	}
	let authority = rest.split(|b| *b == b'/').next().unwrap_or_default();
	let (host, port) = if authority.starts_with(b"[") {
		let end = authority.iter().position(|b| *b == b']').ok_or(UrlError::Host)?;
		let (host, rest) = authority.split_at(end.saturating_add(1));
		(&host[1..end], rest)
	} else {
		let end = authority.iter().position(|b| *b == b':').unwrap_or(authority.len());
		authority.split_at(end)
	};
	if host.is_empty() {
		return Err(UrlError::Host);
	}
	match port.split_first() {
		None => Ok(()),
		Some((b':', digits)) if is_port(digits) => Ok(()),
		Some(_) => Err(UrlError::Port),
	}
}

fn is_port(digits: &[u8]) -> bool {
	core::str::from_utf8(digits)
		.ok()
		.filter(|d| d.bytes().all(|b| b.is_ascii_digit()))
		.and_then(|d| d.parse::<u16>().ok())
		.is_some_and(|port| port > 0)
}

#[cfg(test)]
mod tests {
	use super::{check, UrlError};

	#[test]
	fn takes_plain_base_urls_only() {
		for good in ["http://a", "https://worker.example:8080/x", "http://[2001:db8::1]:9/x/y"] {
			assert_eq!(check(good.as_bytes()), Ok(()), "{good}");
		}
		for (bad, why) in [
			("", UrlError::Scheme),
			("ftp://a", UrlError::Scheme),
			("HTTP://a", UrlError::Scheme),
			("file:///etc/passwd", UrlError::Scheme),
			("http://", UrlError::Host),
			("http:///x", UrlError::Host),
			("http://:80", UrlError::Host),
			("http://[::1", UrlError::Host),
			("http://[]:1", UrlError::Host),
			("http://a:", UrlError::Port),
			("http://a:0", UrlError::Port),
			("http://a:65536", UrlError::Port),
			("http://a:+80", UrlError::Port),
			("http://a b", UrlError::Character),
			("http://u@a", UrlError::Character),
			("http://a?q", UrlError::Character),
			("http://a#f", UrlError::Character),
			("http://a\n", UrlError::Character),
			("http://\u{e4}", UrlError::Character),
			("http://a\\b", UrlError::Character),
		] {
			assert_eq!(check(bad.as_bytes()), Err(why), "{bad}");
		}
	}
}
