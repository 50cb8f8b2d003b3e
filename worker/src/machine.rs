//! What this machine is, as far as the operating system says.

use std::fs;

/// Longest model name that the chain takes, in bytes.
const MAX_MODEL: usize = 64;

/// The processor's model.
pub fn processor() -> Option<String> {
	let info = fs::read_to_string("/proc/cpuinfo").ok()?;
	let line = info.lines().find(|line| line.starts_with("model name"))?;
	let name: Vec<&str> = line.split_once(':')?.1.split_whitespace().collect();
	let mut name = name.join(" ");
	while name.len() > MAX_MODEL {
		name.pop();
	}
	Some(name).filter(|name| !name.is_empty())
}

/// Memory in MiB.
pub fn memory_mib() -> Option<u32> {
	let info = fs::read_to_string("/proc/meminfo").ok()?;
	let line = info.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
	let kib: u64 = line.split_whitespace().next()?.parse().ok()?;
	u32::try_from(kib / 1024).ok().filter(|mib| *mib > 0)
}
