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

	/// The address `step` away, if there is one.
	fn beside(address: &str, step: i32) -> Option<IpAddr> {
		Some(match address.parse().unwrap() {
			IpAddr::V4(address) => {
				Ipv4Addr::from_bits(address.to_bits().checked_add_signed(step)?).into()
			}
			IpAddr::V6(address) => {
				Ipv6Addr::from_bits(address.to_bits().checked_add_signed(step.into())?).into()
			}
		})
	}

	const OUTSIDE: &str = "not global unicast";

	/// First and last address of every range, with the reason, and whether the address before the
	/// first and the one after the last are public. Where one is not, it is of the next range.
	const RANGES: [(&str, &str, &str, bool, bool); 34] = [
		("0.0.0.0", "0.255.255.255", "unspecified", false, true),
		("10.0.0.0", "10.255.255.255", "private", true, true),
		("100.64.0.0", "100.127.255.255", "shared between carrier and customer", true, true),
		("127.0.0.0", "127.255.255.255", "loopback", true, true),
		("169.254.0.0", "169.254.255.255", "link-local", true, true),
		("172.16.0.0", "172.31.255.255", "private", true, true),
		("192.0.0.0", "192.0.0.255", "for protocol assignments", true, true),
		("192.0.2.0", "192.0.2.255", "for documentation", true, true),
		("192.88.99.0", "192.88.99.255", "of 6to4 relays", true, true),
		("192.168.0.0", "192.168.255.255", "private", true, true),
		("198.18.0.0", "198.19.255.255", "for benchmarks", true, true),
		("198.51.100.0", "198.51.100.255", "for documentation", true, true),
		("203.0.113.0", "203.0.113.255", "for documentation", true, true),
		("224.0.0.0", "239.255.255.255", "multicast", true, false),
		("240.0.0.0", "255.255.255.254", "reserved", false, false),
		("255.255.255.255", "255.255.255.255", "broadcast", false, false),
		("::", "::", "unspecified", false, false),
		("::1", "::1", "loopback", false, false),
		("::2", "::ffff:ffff", "IPv4-compatible", false, false),
		("::ffff:0.0.0.0", "::ffff:255.255.255.255", "IPv4-mapped", false, false),
		("64:ff9b::", "64:ff9b::ffff:ffff", "of NAT64", false, false),
		("64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "of local NAT64", false, false),
		("64:ff9b:2::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE, false, true),
		("2001::", "2001:0:ffff:ffff:ffff:ffff:ffff:ffff", "of Teredo", true, false),
		(
			"2001:1::",
			"2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff",
			"for protocol assignments",
			false,
			true,
		),
		("2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation", true, true),
		("2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "of 6to4", true, true),
		("3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "for documentation", true, true),
		("4000::", "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE, true, false),
		("fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "unique-local", false, false),
		("fe00::", "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", OUTSIDE, false, false),
		("fe80::", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "link-local", false, false),
		("fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "site-local", false, false),
		("ff00::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "multicast", false, false),
	];
	#[test]
	fn knows_every_range_to_its_ends() {
		for (first, last, expected, before, after) in RANGES {
			assert_eq!(reason(first), Some(expected), "{first}");
			assert_eq!(reason(last), Some(expected), "{last}");
			for (end, step, public) in [(first, -1, before), (last, 1, after)] {
				let Some(neighbour) = beside(end, step) else {
					assert!(!public);
					continue;
				};
				let found = forbidden(neighbour);
				assert_eq!(found.is_none(), public, "{neighbour}, beside {end}: {found:?}");
				assert_ne!(found, Some(expected), "{neighbour}, beside {end}");
			}
		}
		// No range of the code is without its row here.
		let known = V4.iter().map(|range| range.2).chain(V6.iter().map(|range| range.2));
		let mut known: Vec<&str> = known.collect();
		let mut tested: Vec<&str> = RANGES.iter().map(|range| range.2).collect();
		tested.retain(|reason| *reason != OUTSIDE);
		known.sort_unstable();
		tested.sort_unstable();
		assert_eq!(tested, known);
	}

	/// An address within another is not looked at: all that embed one are refused, as are those of
	/// which a network's own translation is not known.
	#[test]
	fn embedded_addresses_are_refused_whatever_they_are() {
		for inner in ["127.0.0.1", "10.0.0.1", "169.254.169.254", "1.1.1.1", "8.8.8.8"] {
			let [a, b, c, d] = inner.parse::<Ipv4Addr>().unwrap().octets();
			let (high, low) = (u16::from_be_bytes([a, b]), u16::from_be_bytes([c, d]));
			let embedding = [
				Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, high, low),
				Ipv6Addr::new(0, 0, 0, 0, 0, 0, high, low),
				Ipv6Addr::new(0, 0, 0, 0, 0xffff, 0, high, low),
				Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, high, low),
				Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, high, low),
				Ipv6Addr::new(0x2002, high, low, 0, 0, 0, 0, 1),
				Ipv6Addr::new(0x2001, 0, high, low, 0, 0, 0, 0),
				Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, !high, !low),
			];
			for address in embedding {
				assert!(forbidden(address.into()).is_some(), "{address} of {inner}");
			}
		}
	}

	#[test]
	fn what_is_public_is_allowed() {
		let public = [
			"1.1.1.1",
			"8.8.8.8",
			"126.0.0.1",
			"172.15.0.1",
			"192.0.1.1",
			"223.255.255.255",
			"2000::1",
			"2001:4860:4860::8888",
			"2003::1",
			"2606:4700::1111",
			"2a00:1450::1",
			"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		];
		for address in public {
			assert_eq!(reason(address), None, "{address}");
		}
	}
}
