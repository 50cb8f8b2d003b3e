//! Who counts as one client, and whose clients count together.

use std::{
	fmt,
	net::{IpAddr, Ipv6Addr},
};

/// Bits of an IPv6 address that its holder cannot choose: sites are given /64 networks at least.
const CLIENT_BITS: u32 = 64;
/// Bits that somebody with many /64 networks cannot choose: sites are given /48 networks at most.
const SITE_BITS: u32 = 48;

/// One client: an IPv4 address, or a /64 network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

/// Clients that may all be one's: an IPv4 address, or a /48 network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site(IpAddr);

impl Client {
	/// Whose client it may be.
	pub fn site(self) -> Site {
		Site(prefix(self.0, SITE_BITS))
	}
}

impl From<IpAddr> for Client {
	fn from(address: IpAddr) -> Self {
		// A v4 client of a v6 socket is the same client.
		Self(prefix(address.to_canonical(), CLIENT_BITS))
	}
}

/// An IPv4 address as it is, of an IPv6 address the first bits.
fn prefix(address: IpAddr, bits: u32) -> IpAddr {
	match address {
		IpAddr::V4(address) => address.into(),
		IpAddr::V6(address) => {
			Ipv6Addr::from(u128::from(address) & (u128::MAX << (128 - bits))).into()
		}
	}
}

impl fmt::Display for Client {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		match self.0 {
			IpAddr::V4(address) => write!(f, "{address}"),
			IpAddr::V6(prefix) => write!(f, "{prefix}/{CLIENT_BITS}"),
		}
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	fn client(text: &str) -> Client {
		Client::from(text.parse::<IpAddr>().unwrap())
	}

	#[test]
	fn addresses_of_one_network_are_one_client() {
		assert_eq!(client("::ffff:192.0.2.1"), client("192.0.2.1"));
		assert_ne!(client("192.0.2.1"), client("192.0.2.2"));
		assert_eq!(client("2001:db8:0:1::1"), client("2001:db8:0:1:ffff:ffff:ffff:ffff"));
		assert_ne!(client("2001:db8:0:1::1"), client("2001:db8:0:2::1"));
		assert_ne!(client("::ffff:192.0.2.1"), client("::1"));
		assert_eq!(client("2001:db8:0:1::9").to_string(), "2001:db8:0:1::/64");
		assert_eq!(client("::ffff:192.0.2.1").to_string(), "192.0.2.1");
	}

	#[test]
	fn networks_of_one_site_count_together() {
		let site = |text| client(text).site();
		assert_eq!(site("2001:db8:0:1::1"), site("2001:db8:0:ffff::1"));
		assert_ne!(site("2001:db8:0:1::1"), site("2001:db8:1:1::1"));
		assert_ne!(site("192.0.2.1"), site("192.0.2.2"));
	}
}
