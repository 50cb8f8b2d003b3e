//! The chain as every input finds it, blocks on it, and transactions in them.

use super::subject;
use assay_runtime::{
	genesis_config_presets::get_preset, AccountId, AllPalletsWithSystem, Babe, Executive, Header,
	Runtime, RuntimeCall, RuntimeGenesisConfig, RuntimeOrigin, System, TxExtension,
	UncheckedExtrinsic, MILLISECS_PER_BLOCK,
};
use codec::Encode;
use frame_support::{
	dispatch::{DispatchResultWithPostInfo, GetDispatchInfo},
	storage::{with_transaction, TransactionOutcome},
	traits::{OnFinalize, OnIdle},
	weights::Weight,
};
use frame_system::offchain::CreateAuthorizedTransaction;
use sp_consensus_babe::{
	digests::{PreDigest, SecondaryVRFPreDigest},
	make_vrf_sign_data, Slot, BABE_ENGINE_ID,
};
use sp_core::{
	crypto::{Pair as _, VrfSecret},
	sr25519::{vrf::VrfSignature, Pair},
	storage::Storage,
};
use sp_keyring::Sr25519Keyring;
use sp_runtime::{
	generic::{CheckedExtrinsic, ExtrinsicFormat},
	traits::{Applyable, Checkable, Dispatchable, Header as _},
	transaction_validity::TransactionValidityError,
	BuildStorage, Digest, DigestItem,
};
use sp_state_machine::BasicExternalities;
use std::{cell::RefCell, collections::HashMap, sync::OnceLock};

/// Slot of the first block.
const FIRST_SLOT: u64 = 1_000;

/// Runs something on a chain of its own: the development preset or, with bit 0, the one of three
/// validators; with bit 1, one on which nothing has happened, else one with programs and providers.
pub fn with<R>(which: u8, run: impl FnOnce() -> R) -> R {
	static CHAINS: OnceLock<Vec<Storage>> = OnceLock::new();
	let chains = CHAINS.get_or_init(|| {
		let presets = ["development", "local_testnet"];
		let warm = presets.map(|preset| build(preset, true));
		warm.into_iter().chain(presets.map(|preset| build(preset, false))).collect()
	});
	BasicExternalities::new(chains[usize::from(which) % chains.len()].clone()).execute_with(run)
}

fn build(preset: &str, warm: bool) -> Storage {
	let patch = get_preset(&preset.into()).expect("the preset exists");
	let patch = serde_json::from_slice(&patch).expect("it is JSON");
	let mut config = serde_json::to_value(RuntimeGenesisConfig::default()).expect("it serialises");
	merge(&mut config, patch);
	let config: RuntimeGenesisConfig = serde_json::from_value(config).expect("it fits");
	let mut chain = BasicExternalities::new(config.build_storage().expect("it builds"));
	chain.execute_with(|| {
		// Who holds this key may break anything; root is tried where that means something.
		pallet_sudo::Key::<Runtime>::kill();
		begin_block(0);
		if warm {
			subject::prepare();
		}
	});
	chain.into_storages()
}

fn merge(to: &mut serde_json::Value, patch: serde_json::Value) {
	match (to, patch) {
		(serde_json::Value::Object(to), serde_json::Value::Object(patch)) => {
			for (key, value) in patch {
				merge(to.entry(key).or_insert(serde_json::Value::Null), value);
			}
		}
		(to, patch) => *to = patch,
	}
}

/// Ends the block and begins the next, so many empty slots later.
pub fn next_block(empty: u64) {
	end_block();
	begin_block(empty);
}

fn begin_block(empty: u64) {
	let number = System::block_number() + 1;
	let slot = (*Babe::current_slot()).max(FIRST_SLOT) + 1 + empty;
	let digest = Digest { logs: vec![pre_digest(number, slot)] };
	let parent = System::parent_hash();
	let header = Header::new(number, Default::default(), Default::default(), parent, digest);
	Executive::initialize_block(&header);
	let set = pallet_timestamp::Call::set { now: slot * MILLISECS_PER_BLOCK };
	RuntimeCall::Timestamp(set).dispatch(RuntimeOrigin::none()).expect("time goes on");
	Executive::inherents_applied();
}

/// What [`Executive::finalize_block`] does, but for the roots, which nothing here looks at and which
/// take longer than all the rest.
fn end_block() {
	System::note_finished_extrinsics();
	let number = System::block_number();
	let left = assay_runtime::MAXIMUM_BLOCK_WEIGHT.saturating_sub(System::block_weight().total());
	if left.all_gt(Weight::zero()) {
		AllPalletsWithSystem::on_idle(number, left);
	}
	AllPalletsWithSystem::on_finalize(number);
	System::set_block_consumed_resources(Weight::zero(), 0);
}

/// The digest of a block by the validator whose turn it is, with a true output.
fn pre_digest(number: u32, slot: u64) -> DigestItem {
	let authorities = Babe::authorities();
	let index = slot as usize % authorities.len();
	let author = authorities[index].0.clone().into();
	let epoch = match number {
		1 => 0,
		_ => {
			(slot - *pallet_babe::GenesisSlot::<Runtime>::get())
				/ assay_runtime::EPOCH_DURATION_IN_SLOTS
		}
	};
	let randomness = match epoch > pallet_babe::EpochIndex::<Runtime>::get() {
		true => Babe::next_epoch().randomness,
		false => Babe::randomness(),
	};
	let digest = PreDigest::SecondaryVRF(SecondaryVRFPreDigest {
		authority_index: index as u32,
		slot: slot.into(),
		vrf_signature: sign(author, randomness, slot, epoch),
	});
	DigestItem::PreRuntime(BABE_ENGINE_ID, digest.encode())
}

type Drawn = (sp_core::sr25519::Public, [u8; 32], u64, u64);

/// Signing takes longer than a block, and most inputs need the same outputs.
fn sign(
	author: sp_core::sr25519::Public,
	randomness: [u8; 32],
	slot: u64,
	epoch: u64,
) -> VrfSignature {
	thread_local!(static SIGNED: RefCell<HashMap<Drawn, VrfSignature>> = Default::default());
	SIGNED.with_borrow_mut(|signed| {
		let sign = || {
			let pair =
				validator(|pair| pair.public() == author).expect("validators are well known");
			pair.vrf_sign(&make_vrf_sign_data(&randomness, Slot::from(slot), epoch))
		};
		if signed.len() > 20_000 {
			signed.clear();
		}
		signed.entry((author, randomness, slot, epoch)).or_insert_with(sign).clone()
	})
}

/// The keys of a validator: babe's and the auditor's are the same.
pub fn validator(is: impl Fn(&Pair) -> bool) -> Option<Pair> {
	static PAIRS: OnceLock<Vec<Pair>> = OnceLock::new();
	let pairs = PAIRS.get_or_init(|| Sr25519Keyring::iter().take(6).map(|k| k.pair()).collect());
	pairs.iter().find(|pair| is(pair)).cloned()
}

/// Who sends a call.
#[derive(Clone, Debug)]
pub enum By {
	/// An account, in a signed transaction whose signature is taken for good.
	Signed(AccountId),
	/// Nobody, in a general transaction, which the call must authorise.
	General,
	/// An inherent.
	None,
	/// Governance, by itself.
	Root,
}

/// Sends a call through all that a transaction goes through in a block. Outside is an error that
/// keeps it out of the block; nothing of such a one stays.
pub fn send(
	by: By,
	call: RuntimeCall,
) -> Result<DispatchResultWithPostInfo, TransactionValidityError> {
	let extension = |who: Option<&AccountId>| {
		let mut extension: TxExtension =
			<Runtime as CreateAuthorizedTransaction<RuntimeCall>>::create_extension();
		if let Some(who) = who {
			extension.6 = frame_system::CheckNonce::from(System::account_nonce(who));
		}
		extension
	};
	with_transaction(|| {
		let sent = match by {
			By::None => Ok(call.dispatch(RuntimeOrigin::none())),
			By::Root => Ok(call.dispatch(RuntimeOrigin::root())),
			By::General => {
				let xt = UncheckedExtrinsic::new_transaction(call, extension(None));
				let (info, length) = (xt.get_dispatch_info(), xt.encoded_size());
				xt.check(&frame_system::ChainContext::<Runtime>::default())
					.and_then(|xt| xt.apply::<Runtime>(&info, length))
			}
			By::Signed(who) => {
				let length = call.encoded_size() + 120;
				let format = ExtrinsicFormat::Signed(who.clone(), extension(Some(&who)));
				let xt: CheckedExtrinsic<AccountId, RuntimeCall, TxExtension> =
					CheckedExtrinsic { format, function: call };
				let info = xt.get_dispatch_info();
				xt.apply::<Runtime>(&info, length)
			}
		};
		match sent {
			Ok(done) => TransactionOutcome::Commit(Ok::<_, sp_runtime::DispatchError>(Ok(done))),
			Err(kept_out) => TransactionOutcome::Rollback(Ok(Err(kept_out))),
		}
	})
	.expect("few transactions nest")
}
