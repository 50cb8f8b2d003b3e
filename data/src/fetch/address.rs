//! Which addresses a stranger's URL may lead to: public unicast ones only.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public unicast (RFC 6890 and its registry).
const V4: [(Ipv4Addr, u32, &str); 16] = [
	(Ipv4Addr::new(0, 0, 0, 0), 8, "unspecified"),
	(Ipv4Addr::new(10, 0, 0, 0), 8, "private"),
	(Ipv4Addr::new(100, 64, 0, 0), 10, "shared between carrier and customer"),
	(Ipv4Addr::new(127, 0, 0, 0), 8, "loopback"),
	(Ipv4Addr::new(169, 254, 0, 0), 16, "link-local"),
	(Ipv4Addr::new(172, 16, 0, 0), 12, "private"),
	(Ipv4Addr::new(192, 0, 0, 0), 24, "for protocol assignments"),
	(Ipv4Addr::new(192, 0, 2, 0), 24, "for documentation"),
	(Ipv4Addr::new(192, 88, 99, 0), 24, "of 6to4 relays"),
	(Ipv4Addr::new(192, 168, 0, 0), 16, "private"),
	(Ipv4Addr::new(198, 18, 0, 0), 15, "for benchmarks"),
	(Ipv4Addr::new(198, 51, 100, 0), 24, "for documentation"),
	(Ipv4Addr::new(203, 0, 113, 0), 24, "for documentation"),
	(Ipv4Addr::new(255, 255, 255, 255), 32, "broadcast"),
	(Ipv4Addr::new(224, 0, 0, 0), 4, "multicast"),
	(Ipv4Addr::new(240, 0, 0, 0), 4, "reserved"),
];

/// IPv6 networks with a reason of their own; everything outside 2000::/3 is refused anyway.
const V6: [(Ipv6Addr, u32, &str); 15] = [
	(Ipv6Addr::UNSPECIFIED, 128, "unspecified"),
	(Ipv6Addr::LOCALHOST, 128, "loopback"),
	(Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0), 96, "IPv4-mapped"),
	(Ipv6Addr::UNSPECIFIED, 96, "IPv4-compatible"),
	(Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96, "of NAT64"),
	(Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, "of local NAT64"),
	(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 32, "of Teredo"),
	(Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, "for protocol assignments"),
	(Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, "for documentation"),
	(Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16, "of 6to4"),
	(Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, "for documentation"),
	(Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, "unique-local"),
	(Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, "link-local"),
	(Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, "site-local"),
	(Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, "multicast"),
];

/// What is wrong with an address, or `None` if it is a public unicast address.
pub fn forbidden(address: IpAddr) -> Option<&'static str> {
	match address {
		IpAddr::V4(address) => V4
			.iter()
			.find(|(network, length, _)| {
				(address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
			})
			.map(|(_, _, reason)| *reason),
		IpAddr::V6(address) => V6
			.iter()
			.find(|(network, length, _)| {
				(address.to_bits() ^ network.to_bits()).leading_zeros() >= *length
			})
			.map(|(_, _, reason)| *reason)
			.or_else(|| (address.segments()[0] >> 13 != 1).then_some("not global unicast")),
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	fn reason(address: &str) -> Option<&'static str> {
		forbidden(address.parse().unwrap())
	}

	/// First and last address of every range, and the neighbours on both sides.
	#[test]
	fn knows_every_range_to_its_ends() {
		let ranges = [
			("0.0.0.0", "0.255.255.255", "unspecified"),
			("10.0.0.0", "10.255.255.255", "private"),
			("100.64.0.0", "100.127.255.255", "shared between carrier and customer"),
			("127.0.0.0", "127.255.255.255", "loopback"),
			("169.254.0.0", "169.254.255.255", "link-local"),
			("172.16.0.0", "172.31.255.255", "private"),
			("192.0.0.0", "192.0.0.255", "for protocol assignments"),
			("192.0.2.0", "192.0.2.255", "for documentation"),
			("192.88.99.0", "192.88.99.255", "of 6to4 relays"),
			("192.168.0.0", "192.168.255.255", "private"),
			("198.18.0.0", "198.19.255.255", "for benchmarks"),
			("198.51.100.0", "198.51.100.255", "for documentation"),
			("203.0.113.0", "203.0.113.255", "for documentation"),
			("224.0.0.0", "239.255.255.255", "multicast"),
			("240.0.0.0", "255.255.255.254", "reserved"),
			("255.255.255.255", "255.255.255.255", "broadcast"),
			("::", "::", "unspecified"),
			("::1", "::1", "loopback"),
			("::2", "::ffff:ffff", "IPv4-compatible"),
			("::ffff:0.0.0.0", "::ffff:255.255.255.255", "IPv4-mapped"),
			("64:ff9b::", "64:ff9b::ffff:ffff", "of NAT64"),
			("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "of local NAT64"),
			("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "of Teredo"),
			("2001:1::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "for protocol assignments"),
			("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"),
			("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "of 6to4"),
			("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation"),
			("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "not global unicast"),
			("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique-local"),
			("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local"),
			("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local"),
			("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast"),
		];
		for (first, last, expected) in ranges {
			assert_eq!(reason(first), Some(expected), "{first}");
			assert_eq!(reason(last), Some(expected), "{last}");
		}
		let public = [
			"1.0.0.0",
			"9.255.255.255",
			"11.0.0.0",
			"100.63.255.255",
			"100.128.0.0",
			"126.255.255.255",
			"128.0.0.0",
			"169.253.255.255",
			"169.255.0.0",
			"172.15.255.255",
			"172.32.0.0",
			"191.255.255.255",
			"192.0.1.0",
			"192.0.1.255",
			"192.0.3.0",
			"192.88.98.255",
			"192.88.100.0",
			"192.167.255.255",
			"192.169.0.0",
			"198.17.255.255",
			"198.20.0.0",
			"198.51.99.255",
			"198.51.101.0",
			"203.0.112.255",
			"203.0.114.0",
			"223.255.255.255",
			"2000::1",
			"2001:200::",
			"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
			"2001:db9::",
			"2003::1",
			"2606:4700::1111",
			"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
			"3fff:1000::",
		];
		for address in public {
			assert_eq!(reason(address), None, "{address}");
		}
	}
}
