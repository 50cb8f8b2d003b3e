//! Rounding and clamping, exact within 64 bits.

/// `t` if shift is 0, else (t + 2^(shift−1)) >> shift, without the sum's overflow: adding half and
/// flooring is the same as flooring and adding the highest bit shifted out.
#[inline(always)]
pub(super) fn rshr(t: i64, shift: u8) -> i64 {
	match shift {
		0 => t,
		// Cannot wrap: after a shift by one or more the result is at most 2^62.
		1..=63 => (t >> shift).wrapping_add(((t as u64 >> (shift - 1)) & 1) as i64),
		_ => 0,
	}
}

/// The same for unsigned values.
#[inline(always)]
pub(super) fn rshr_unsigned(t: u64, shift: u8) -> u64 {
	match shift {
		0 => t,
		1..=63 => (t >> shift).wrapping_add((t >> (shift - 1)) & 1),
		_ => 0,
	}
}

#[inline(always)]
pub(super) fn clamp8(t: i64) -> i8 {
	t.clamp(i8::MIN.into(), i8::MAX.into()) as i8
}

#[inline(always)]
pub(super) fn clamp32(t: i64) -> i32 {
	t.clamp(i32::MIN.into(), i32::MAX.into()) as i32
}

/// floor(a / b) for b > 0, and 0 otherwise.
#[inline(always)]
pub(super) fn floor_div(a: i64, b: i64) -> i64 {
	if b <= 0 {
		return 0;
	}
	let (quotient, remainder) = (a / b, a % b);
	quotient.wrapping_sub(i64::from(remainder < 0))
}
