//! Amounts of ASY as people write them.

use assay_primitives::{Balance, ASY, TOKEN_DECIMALS, TOKEN_SYMBOL};
use std::{fmt, str::FromStr};

/// An amount in planck, written `12.5ASY` or as a whole number of planck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Amount(pub Balance);

impl FromStr for Amount {
	type Err = String;

	fn from_str(text: &str) -> Result<Self, String> {
		let too_large = || format!("{text} is more than can exist");
		let Some(asy) = text.strip_suffix(TOKEN_SYMBOL).map(str::trim_end) else {
			return match digits(text) {
				true => text.parse().map(Self).map_err(|_| too_large()),
				false => Err(format!(
					"\"{text}\" is no amount: write 12.5{TOKEN_SYMBOL}, or a whole number of planck"
				)),
			};
		};
		let (whole, fraction) = asy.split_once('.').unwrap_or((asy, "0"));
		if !digits(whole) || !digits(fraction) {
			return Err(format!("\"{text}\" is no amount: write 12.5{TOKEN_SYMBOL}"));
		}
		if fraction.len() > TOKEN_DECIMALS as usize {
			return Err(format!("{text} has more than {TOKEN_DECIMALS} decimals"));
		}
		let whole: Balance = whole.parse().map_err(|_| too_large())?;
		let fraction: Balance = format!("{fraction:0<width$}", width = TOKEN_DECIMALS as usize)
			.parse()
			.map_err(|_| too_large())?;
		let planck = whole.checked_mul(ASY).and_then(|whole| whole.checked_add(fraction));
		planck.map(Self).ok_or_else(too_large)
	}
}

fn digits(text: &str) -> bool {
	!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

impl fmt::Display for Amount {
	fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
		let fraction = format!("{:0width$}", self.0 % ASY, width = TOKEN_DECIMALS as usize);
		let text = match fraction.trim_end_matches('0') {
			"" => format!("{} {TOKEN_SYMBOL}", self.0 / ASY),
			fraction => format!("{}.{fraction} {TOKEN_SYMBOL}", self.0 / ASY),
		};
		f.pad(&text)
	}
}

#[cfg(test)]
mod tests {
	use super::*;

	#[test]
	fn reads_asy_and_planck() {
		for (text, planck) in [
			("0", 0),
			("1", 1),
			("0001", 1),
			("12500000000000", 12_500_000_000_000),
			("12.5ASY", 12_500_000_000_000),
			("12.5 ASY", 12_500_000_000_000),
			("1ASY", 1_000_000_000_000),
			("0ASY", 0),
			("0.000000000001ASY", 1),
			("0.100000000000ASY", 100_000_000_000),
			("340282366920938463463374607431768211455", u128::MAX),
			("340282366920938463463374607.431768211455ASY", u128::MAX),
		] {
			assert_eq!(text.parse(), Ok(Amount(planck)), "{text}");
		}
	}

	#[test]
	fn refuses_everything_else_and_says_why() {
		for (text, why) in [
			("", "no amount"),
			("ASY", "no amount"),
			(".5ASY", "no amount"),
			("1.ASY", "no amount"),
			("1.5", "no amount"),
			("-1", "no amount"),
			("+1", "no amount"),
			("+1ASY", "no amount"),
			("1e3", "no amount"),
			("1,5ASY", "no amount"),
			("1.2.3ASY", "no amount"),
			("1_000ASY", "no amount"),
			("1 000", "no amount"),
			("1BTC", "no amount"),
			("1asy", "no amount"),
			("0.0000000000001ASY", "more than 12 decimals"),
			("340282366920938463463374607431768211456", "more than can exist"),
			("340282366920938463463374607.431768211456ASY", "more than can exist"),
			("340282366920938463463374608ASY", "more than can exist"),
			("999999999999999999999999999999999999999999999ASY", "more than can exist"),
		] {
			let error = text.parse::<Amount>().unwrap_err();
			assert!(error.contains(why), "{text}: {error}");
		}
	}

	#[test]
	fn shows_what_it_reads() {
		for (planck, text) in [
			(0, "0 ASY"),
			(1, "0.000000000001 ASY"),
			(12_500_000_000_000, "12.5 ASY"),
			(1_000_000_000_000, "1 ASY"),
			(u128::MAX, "340282366920938463463374607.431768211455 ASY"),
		] {
			assert_eq!(Amount(planck).to_string(), text);
			assert_eq!(text.parse(), Ok(Amount(planck)));
		}
	}
}
