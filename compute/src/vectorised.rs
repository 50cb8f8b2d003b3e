//! Code compiled twice: for every processor, and for AVX2, chosen at run time.

/// Declares a function whose body is also compiled for AVX2 where that can be detected. The body
/// is ordinary safe Rust; the compiler vectorises it.
macro_rules! vectorised {
	($(#[$meta:meta])* $vis:vis fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)? $body:block) => {
		$(#[$meta])*
		$vis fn $name($($arg: $ty),*) $(-> $ret)? {
			#[inline(always)]
			fn body($($arg: $ty),*) $(-> $ret)? $body

			#[cfg(all(feature = "std", target_arch = "x86_64"))]
			{
				#[target_feature(enable = "avx2,bmi1,bmi2")]
				fn avx2($($arg: $ty),*) $(-> $ret)? {
					body($($arg),*)
				}
				if std::is_x86_feature_detected!("avx2")
					&& std::is_x86_feature_detected!("bmi1")
					&& std::is_x86_feature_detected!("bmi2")
				{
					// SAFETY: the processor has every feature the function is compiled for.
					#[allow(unsafe_code)]
					return unsafe { avx2($($arg),*) };
				}
			}
			body($($arg),*)
		}
	};
}
