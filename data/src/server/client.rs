//! Who counts as one client.

use std::{
	fmt,
	net::{IpAddr, Ipv6Addr},
};

/// Bits of an IPv6 address that its holder cannot choose: sites are given /64 networks at least.
const V6_PREFIX: u32 = 64;

/// One client: an IPv4 address, or a /64 network of IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Client(IpAddr);

impl From<IpAddr> for Client {
	fn from(address: IpAddr) -> Self {
		// A v4 client of a v6 socket is the same client.
		Self(match address.to_canonical() {
			IpAddr::V4(address) => address.into(),
			IpAddr::V6(address) => {
				let prefix = u128::from(address) & (u128::MAX << (128 - V6_PREFIX));
				Ipv6Addr::from(prefix).into()
			}
		})
	}
}

impl fmt::Display for Client {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		match self.0 {
			IpAddr::V4(address) => write!(f, "{address}"),
			IpAddr::V6(prefix) => write!(f, "{prefix}/{V6_PREFIX}"),
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
}
