//! Where strangers may be sent to fetch.

use assay_data::fetch::forbidden;
use assay_primitives::url::{check, UrlError, MAX_URL};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What is wrong with the URL that is announced, if anything. A name is not resolved: whoever fetches
/// does that, and checks again.
pub fn check_url(url: &str, allow_local: bool) -> Result<(), String> {
	check(url.as_bytes()).map_err(|error| match error {
		UrlError::Scheme => "it does not begin with http:// or https://".to_owned(),
		UrlError::Character => "it has a character that no base URL has".into(),
		UrlError::Host => "it names no host".into(),
		UrlError::Port => "its port is not a number from 1 to 65535".into(),
	})?;
	if url.len() > MAX_URL as usize {
		return Err(format!("it is longer than {MAX_URL} bytes"));
	}
	let address = address(host(url))?;
	match address.and_then(forbidden).filter(|_| !allow_local) {
		Some(range) => Err(format!("nobody would fetch from there: its address is {range}")),
		None => Ok(()),
	}
}

/// The host of a URL that is one; an IPv6 address with its brackets.
fn host(url: &str) -> &str {
	let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
	let authority = rest.split('/').next().unwrap_or_default();
	match authority.find(']') {
		Some(end) => authority.get(..=end).unwrap_or_default(),
		None => authority.split(':').next().unwrap_or_default(),
	}
}

/// The address that a host is; none for a name.
fn address(host: &str) -> Result<Option<IpAddr>, String> {
	if let Some(inner) = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
		let address = inner.parse::<Ipv6Addr>().map_err(|_| "it has no valid IPv6 address")?;
		return Ok(Some(address.into()));
	}
	if let Ok(address) = host.parse::<Ipv4Addr>() {
		return Ok(Some(address.into()));
	}
	let name = host.trim_end_matches('.').to_ascii_lowercase();
	let last = name.rsplit('.').next().unwrap_or_default();
	let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._".contains(&byte);
	// Browsers and others read `127.1`, `0x7f000001` and `%31` as addresses too.
	if last.is_empty() || last.as_bytes()[0].is_ascii_digit() || !name.bytes().all(plain) {
		return Err("its host is neither a name nor a plain address".into());
	}
	let local = last == "localhost";
	Ok(local.then_some(Ipv4Addr::LOCALHOST.into()))
}

#[cfg(test)]
mod tests {
	use super::check_url;

	#[test]
	fn strangers_are_not_sent_to_private_addresses() {
		let public = [
			"http://1.1.1.1",
			"https://8.8.8.8:7800/kept",
			"http://[2606:4700::1111]:80",
			"https://keeper.example",
			"http://k_1.example.:7800/x/",
		];
		for url in public {
			assert_eq!(check_url(url, false), Ok(()), "{url}");
		}
		let local = [
			"http://127.0.0.1:1",
			"http://10.0.0.1",
			"http://192.168.1.1:80/x",
			"http://169.254.169.254",
			"http://0.0.0.0:7800",
			"http://[::1]:80",
			"http://[::ffff:8.8.8.8]",
			"http://[fe80::1]",
			"http://localhost:1",
			"http://a.LOCALHOST.",
		];
		for url in local {
			assert!(check_url(url, false).unwrap_err().contains("address is"), "{url}");
			assert_eq!(check_url(url, true), Ok(()), "{url}");
		}
	}

	#[test]
	fn what_is_no_base_url_is_refused() {
		let long = format!("http://{}", "a".repeat(256));
		let bad = [
			"",
			"keeper.example",
			"ftp://keeper.example",
			"http://",
			"http://a@keeper.example",
			"http://keeper.example?x",
			"http://keeper.example:0",
			"http://2130706433",
			"http://127.1",
			"http://0x7f000001",
			"http://%31.1.1.1",
			"http://.",
			"http://[keeper]",
			&long,
		];
		for url in bad {
			assert!(check_url(url, true).is_err(), "{url}");
		}
	}
}
