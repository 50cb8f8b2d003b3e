//! Weight and bytes of each step of a job's life, against a balance transfer: `chain [--json]`.
//!
//! The weights are those the chain charges; a ratio says how many transfers a step displaces.

use assay_primitives::{
	auditor::SeatId,
	market::{Ask, MachineClass, Requirements},
	work::{Assurance, Commitment, Mode, TaskId, Verdict},
	Root,
};
use assay_runtime::{AccountId, RuntimeCall, UncheckedExtrinsic, ASY, MAXIMUM_BLOCK_WEIGHT};
use codec::Encode;
use frame_support::dispatch::GetDispatchInfo;
use pallet_job_escrow::JobSpec;
use sp_keyring::Sr25519Keyring::{Alice, Bob};

/// Tasks of the job that is measured.
const TASKS: u32 = 10;
/// Bytes of a registered program: a small classifier's, and the largest.
const PROGRAM_BYTES: [u32; 2] = [600, 512 * 1024];

fn account(key: sp_keyring::Sr25519Keyring) -> AccountId {
	key.to_account_id()
}

fn steps() -> Vec<(String, RuntimeCall)> {
	use pallet_job_escrow::Call as Jobs;
	use pallet_provider_registry::Call as Providers;
	use pallet_verification::Call as Verification;
	let url = |s: &str| s.as_bytes().to_vec().try_into().expect("short");
	let mut steps: Vec<(String, RuntimeCall)> = vec![(
		"transfer".into(),
		pallet_balances::Call::transfer_keep_alive { dest: account(Bob).into(), value: ASY }.into(),
	)];
	for bytes in PROGRAM_BYTES {
		let program = vec![0; bytes as usize].try_into().expect("within the limit");
		steps.push((
			format!("register_program, {bytes} B"),
			Verification::register_program { bytes: program }.into(),
		));
	}
	let root = Root::repeat_byte(1);
	let commitment = Commitment { output_root: root, trace_root: Some(root) };
	let ask = Ask {
		base: ASY,
		per_gmac: ASY,
		per_melement: ASY,
		per_value_block: 1,
		stake_percent: 2_000,
		max_value: ASY,
		max_macs: u128::MAX,
		max_trace_bytes: u128::MAX,
		min_deadline: 10,
		slots: 4,
	};
	let spec = JobSpec {
		program: root,
		tasks_root: root,
		tasks: TASKS,
		data_url: url("https://buyer.example:9000"),
		requirements: Requirements { class: MachineClass::Cpu, min_memory_mib: 0, region: None },
		mode: Mode::BestAsk,
		assurance: Assurance::every_task(3),
		max_price: ASY,
		value: 0,
		deadline: 100,
		lifetime: 600,
	};
	let path = vec![root; TASKS.ilog2() as usize + 1].try_into().expect("short");
	let inputs = vec![root].try_into().expect("one");
	let task = TaskId { job: 0, index: 0 };
	let seat = SeatId { task, submitted_at: 1, round: 0, number: 0 };
	let signature = sp_core::sr25519::Signature::default().into();
	let sealing = Verification::seal_verdict { seat, seal: root, signature };
	let (verdict, salt) = (Verdict::Valid, [0; 32]);
	let opening = Verification::open_verdict { seat, verdict, proof: Default::default(), salt };
	let report = |bytes: usize| {
		let proof = vec![0; bytes].try_into().expect("within the limit");
		Verification::report_fraud { task, proof, salt }
	};
	steps.extend([
		(
			"provider: register".to_string(),
			Providers::register {
				hot_key: account(Alice),
				stake: 5_000 * ASY,
				name: b"name".to_vec().try_into().expect("short"),
				endpoint: url("https://worker.example:7700"),
				region: None,
			}
			.into(),
		),
		("provider: set_ask".to_string(), Providers::set_ask { machine: 0, ask }.into()),
		(format!("post, {TASKS} tasks"), Jobs::post { spec }.into()),
		("accept".to_string(), Jobs::accept { job: 0, index: 0, inputs, path }.into()),
		("submit".to_string(), Jobs::submit { job: 0, index: 0, commitment }.into()),
		("seal_verdict, one auditor".to_string(), sealing.into()),
		("open_verdict, one auditor".to_string(), opening.into()),
		("commit_report".to_string(), Verification::commit_report { task, seal: root }.into()),
		("report_fraud, 27 KiB".to_string(), report(27 * 1024).into()),
		("report_fraud, 2 MiB".to_string(), report(2 * 1024 * 1024).into()),
		("advance (match or settle)".to_string(), Jobs::advance { job: 0, index: 0 }.into()),
	]);
	steps
}

fn main() {
	let json = std::env::args().any(|arg| arg == "--json");
	let block = MAXIMUM_BLOCK_WEIGHT.ref_time() as f64;
	let mut rows = Vec::new();
	for (name, call) in steps() {
		let info = call.get_dispatch_info();
		let weight = info.call_weight;
		// As a signed transaction would be, save for the signature's and extensions' 120 bytes or so.
		let bytes = UncheckedExtrinsic::new_bare(call).encoded_size();
		rows.push((name, weight.ref_time(), bytes));
	}
	let (_, unit_weight, unit_bytes) = rows[0];
	if json {
		let list: Vec<_> = rows
			.iter()
			.map(|(name, weight, bytes)| {
				serde_json::json!({
					"step": name,
					"weight_us": *weight as f64 / 1e6,
					"weight_ratio": *weight as f64 / unit_weight as f64,
					"block_share": *weight as f64 / block,
					"bytes": bytes,
					"bytes_ratio": *bytes as f64 / unit_bytes as f64,
				})
			})
			.collect();
		println!("{}", serde_json::json!({ "chain": list }));
		return;
	}
	println!(
		"{:<28} {:>12} {:>10} {:>10} {:>9} {:>8}",
		"step", "weight µs", "÷ transfer", "of block", "bytes", "÷ tr."
	);
	for (name, weight, bytes) in &rows {
		println!(
			"{name:<28} {:>12.1} {:>10.2} {:>9.4}% {bytes:>9} {:>8.2}",
			*weight as f64 / 1e6,
			*weight as f64 / unit_weight as f64,
			100.0 * *weight as f64 / block,
			*bytes as f64 / unit_bytes as f64,
		);
	}
}
