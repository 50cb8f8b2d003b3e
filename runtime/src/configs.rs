//! How each pallet is configured, and through which traits the pallets of Assay meet.

use crate::*;
use assay_primitives::{
	traits::{BlockEntropy, Parties, TaskParties},
	work::TaskId,
	Root,
};
use codec::Decode;
use frame_support::{
	derive_impl, parameter_types,
	traits::{
		fungible::{Balanced, Credit},
		ConstU128, ConstU16, ConstU32, ConstU64, ConstU8, Contains, FindAuthor, InstanceFilter,
		OnUnbalanced, VariantCountOf,
	},
	weights::{
		constants::{BlockExecutionWeight, ExtrinsicBaseWeight, ParityDbWeight},
		ConstantMultiplier, WeightToFeeCoefficient, WeightToFeeCoefficients, WeightToFeePolynomial,
	},
	PalletId,
};
use frame_system::{
	limits::{BlockLength, BlockWeights},
	EnsureRoot,
};
use pallet_transaction_payment::{FungibleAdapter, Multiplier, TargetedFeeAdjustment};
use sp_runtime::{
	traits::{AccountIdConversion, Bounded, ConvertInto, Hash as _, OpaqueKeys},
	FixedPointNumber, Perbill, Perquintill,
};

parameter_types! {
	pub const BlockHashCount: BlockNumber = 2_400;
	pub const Version: RuntimeVersion = VERSION;
	pub RuntimeBlockWeights: BlockWeights = BlockWeights::builder()
		.base_block(BlockExecutionWeight::get())
		.for_class(frame_support::dispatch::DispatchClass::all(), |weights| {
			weights.base_extrinsic = ExtrinsicBaseWeight::get();
		})
		.for_class(frame_support::dispatch::DispatchClass::Normal, |weights| {
			weights.max_total = Some(NORMAL_DISPATCH_RATIO * MAXIMUM_BLOCK_WEIGHT);
		})
		.for_class(frame_support::dispatch::DispatchClass::Operational, |weights| {
			weights.max_total = Some(MAXIMUM_BLOCK_WEIGHT);
			weights.reserved =
				Some(MAXIMUM_BLOCK_WEIGHT - NORMAL_DISPATCH_RATIO * MAXIMUM_BLOCK_WEIGHT);
		})
		.avg_block_initialization(Perbill::from_percent(5))
		.build_or_panic();
	pub RuntimeBlockLength: BlockLength = BlockLength::builder()
		.max_length(5 * 1024 * 1024)
		.modify_max_length_for_class(frame_support::dispatch::DispatchClass::Normal, |max| {
			*max = NORMAL_DISPATCH_RATIO * (5 * 1024 * 1024);
		})
		.build();
}

#[derive_impl(frame_system::config_preludes::SolochainDefaultConfig)]
impl frame_system::Config for Runtime {
	type Block = Block;
	type BlockWeights = RuntimeBlockWeights;
	type BlockLength = RuntimeBlockLength;
	type AccountId = AccountId;
	type Nonce = Nonce;
	type Hash = Hash;
	type BlockHashCount = BlockHashCount;
	type DbWeight = ParityDbWeight;
	type Version = Version;
	type AccountData = pallet_balances::AccountData<Balance>;
	type BaseCallFilter = NoBurning;
	type SS58Prefix = ConstU16<SS58_PREFIX>;
	type MaxConsumers = ConstU32<16>;
}

/// Only the fees of jobs are burned, where they are accounted for: nobody burns besides.
pub struct NoBurning;
impl Contains<RuntimeCall> for NoBurning {
	fn contains(call: &RuntimeCall) -> bool {
		!matches!(call, RuntimeCall::Balances(pallet_balances::Call::burn { .. }))
	}
}

impl pallet_timestamp::Config for Runtime {
	type Moment = u64;
	type OnTimestampSet = Babe;
	type MinimumPeriod = ConstU64<{ MILLISECS_PER_BLOCK / 2 }>;
	type WeightInfo = ();
}

/// Most validators of a session.
pub type MaxAuthorities = ConstU32<1_000>;

impl pallet_babe::Config for Runtime {
	type EpochDuration = ConstU64<EPOCH_DURATION_IN_SLOTS>;
	type ExpectedBlockTime = ConstU64<MILLISECS_PER_BLOCK>;
	type EpochChangeTrigger = pallet_babe::ExternalTrigger;
	type DisabledValidators = Session;
	type WeightInfo = ();
	type MaxAuthorities = MaxAuthorities;
	type MaxNominators = ConstU32<0>;
	// Reports of equivocation come with staked validators: until then there is nothing to slash.
	type KeyOwnerProof = sp_session::MembershipProof;
	type EquivocationReportSystem = ();
}

impl pallet_grandpa::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type WeightInfo = ();
	type MaxAuthorities = MaxAuthorities;
	type MaxNominators = ConstU32<0>;
	type MaxSetIdSessionEntries = ConstU64<0>;
	type KeyOwnerProof = sp_session::MembershipProof;
	type EquivocationReportSystem = ();
}

impl pallet_authorship::Config for Runtime {
	type FindAuthor = pallet_session::FindAccountFromAuthorIndex<Self, Babe>;
	type EventHandler = ();
}

impl pallet_session::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type ValidatorId = AccountId;
	type ValidatorIdOf = ConvertInto;
	type ShouldEndSession = Babe;
	type NextSessionRotation = Babe;
	// The validators of genesis stay until validators are staked and elected.
	type SessionManager = ();
	type SessionHandler = <SessionKeys as OpaqueKeys>::KeyTypeIdProviders;
	type Keys = SessionKeys;
	type DisablingStrategy = ();
	type WeightInfo = ();
	type Currency = Balances;
	type KeyDeposit = ConstU128<{ deposit(1, 96) }>;
}

impl pallet_balances::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type RuntimeHoldReason = RuntimeHoldReason;
	type RuntimeFreezeReason = RuntimeFreezeReason;
	type Balance = Balance;
	type DustRemoval = DustToTreasury;
	type ExistentialDeposit = ConstU128<EXISTENTIAL_DEPOSIT>;
	type AccountStore = System;
	type ReserveIdentifier = [u8; 8];
	type FreezeIdentifier = RuntimeFreezeReason;
	type MaxLocks = ConstU32<50>;
	type MaxReserves = ConstU32<50>;
	type MaxFreezes = VariantCountOf<RuntimeFreezeReason>;
	type DoneSlashHandler = ();
	type WeightInfo = pallet_balances::weights::SubstrateWeight<Self>;
}

/// What is left of an account that ends goes to the treasury, so that none of it is lost.
pub struct DustToTreasury;
impl OnUnbalanced<Credit<AccountId, Balances>> for DustToTreasury {
	fn on_nonzero_unbalanced(dust: Credit<AccountId, Balances>) {
		// The treasury exists from genesis on, so it can take any amount.
		drop(Balances::resolve(&TreasuryAccount::get(), dust));
	}
}

/// A transaction of the base weight costs a hundredth of a milli-ASY.
pub struct WeightToFee;
impl WeightToFeePolynomial for WeightToFee {
	type Balance = Balance;
	fn polynomial() -> WeightToFeeCoefficients<Balance> {
		let p = MILLI / 100;
		let q = Balance::from(ExtrinsicBaseWeight::get().ref_time()).max(1);
		[WeightToFeeCoefficient {
			degree: 1,
			negative: false,
			coeff_frac: Perbill::from_rational(p % q, q),
			coeff_integer: p / q,
		}]
		.into_iter()
		.collect()
	}
}

/// Transaction fees and tips go to the block's author. None are burned, so that issuance is genesis
/// plus what emissions minted less what jobs burned.
pub struct FeesToAuthor;
impl OnUnbalanced<Credit<AccountId, Balances>> for FeesToAuthor {
	fn on_nonzero_unbalanced(fees: Credit<AccountId, Balances>) {
		let author = Authorship::author().unwrap_or_else(TreasuryAccount::get);
		// An author whose account cannot take the fee leaves it to the treasury, which exists.
		let rest = Balances::resolve(&author, fees)
			.or_else(|fees| Balances::resolve(&TreasuryAccount::get(), fees));
		drop(rest);
	}
}

parameter_types! {
	pub const TargetBlockFullness: Perquintill = Perquintill::from_percent(25);
	pub AdjustmentVariable: Multiplier = Multiplier::saturating_from_rational(1, 100_000);
	pub MinimumMultiplier: Multiplier = Multiplier::saturating_from_rational(1, 10);
	pub MaximumMultiplier: Multiplier = Bounded::max_value();
}

impl pallet_transaction_payment::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type OnChargeTransaction = FungibleAdapter<Balances, FeesToAuthor>;
	type WeightToFee = WeightToFee;
	// A micro-ASY a byte.
	type LengthToFee = ConstantMultiplier<Balance, ConstU128<{ MILLI / 1_000 }>>;
	type FeeMultiplierUpdate = TargetedFeeAdjustment<
		Self,
		TargetBlockFullness,
		AdjustmentVariable,
		MinimumMultiplier,
		MaximumMultiplier,
	>;
	type OperationalFeeMultiplier = ConstU8<5>;
	type WeightInfo = pallet_transaction_payment::weights::SubstrateWeight<Self>;
}

impl pallet_utility::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type RuntimeCall = RuntimeCall;
	type PalletsOrigin = OriginCaller;
	type WeightInfo = pallet_utility::weights::SubstrateWeight<Self>;
}

/// What a proxy may do for its owner.
#[derive(
	Copy,
	Clone,
	Debug,
	Default,
	Eq,
	PartialEq,
	Ord,
	PartialOrd,
	codec::Encode,
	codec::Decode,
	codec::DecodeWithMemTracking,
	codec::MaxEncodedLen,
	scale_info::TypeInfo,
)]
pub enum ProxyType {
	/// Everything.
	#[default]
	#[codec(index = 0)]
	Any,
	/// What moves no balance.
	#[codec(index = 1)]
	NonTransfer,
	/// A provider's affairs.
	#[codec(index = 2)]
	Provider,
	/// A buyer's jobs.
	#[codec(index = 3)]
	Buyer,
}

impl InstanceFilter<RuntimeCall> for ProxyType {
	fn filter(&self, call: &RuntimeCall) -> bool {
		match self {
			Self::Any => true,
			Self::NonTransfer => !matches!(call, RuntimeCall::Balances(..)),
			Self::Provider => {
				matches!(call, RuntimeCall::ProviderRegistry(..) | RuntimeCall::Utility(..))
			}
			Self::Buyer => matches!(
				call,
				RuntimeCall::JobEscrow(..)
					| RuntimeCall::Verification(pallet_verification::Call::register_program { .. })
					| RuntimeCall::Utility(..)
			),
		}
	}

	fn is_superset(&self, other: &Self) -> bool {
		match (self, other) {
			(a, b) if a == b => true,
			(Self::Any, _) => true,
			(Self::NonTransfer, Self::Provider | Self::Buyer) => true,
			_ => false,
		}
	}
}

impl pallet_proxy::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type RuntimeCall = RuntimeCall;
	type Currency = Balances;
	type ProxyType = ProxyType;
	type ProxyDepositBase = ConstU128<{ deposit(1, 8) }>;
	type ProxyDepositFactor = ConstU128<{ deposit(0, 37) }>;
	type MaxProxies = ConstU32<32>;
	type WeightInfo = pallet_proxy::weights::SubstrateWeight<Self>;
	type MaxPending = ConstU32<32>;
	type CallHasher = BlakeTwo256;
	type AnnouncementDepositBase = ConstU128<{ deposit(1, 16) }>;
	type AnnouncementDepositFactor = ConstU128<{ deposit(0, 68) }>;
	type BlockNumberProvider = System;
}

impl pallet_multisig::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type RuntimeCall = RuntimeCall;
	type Currency = Balances;
	type DepositBase = ConstU128<{ deposit(1, 88) }>;
	type DepositFactor = ConstU128<{ deposit(0, 32) }>;
	type MaxSignatories = ConstU32<100>;
	type WeightInfo = pallet_multisig::weights::SubstrateWeight<Self>;
	type BlockNumberProvider = System;
}

impl pallet_sudo::Config for Runtime {
	type RuntimeEvent = RuntimeEvent;
	type RuntimeCall = RuntimeCall;
	type WeightInfo = pallet_sudo::weights::SubstrateWeight<Self>;
}

impl<LocalCall> frame_system::offchain::CreateTransactionBase<LocalCall> for Runtime
where
	RuntimeCall: From<LocalCall>,
{
	type RuntimeCall = RuntimeCall;
	type Extrinsic = UncheckedExtrinsic;
}

impl<LocalCall> frame_system::offchain::CreateTransaction<LocalCall> for Runtime
where
	RuntimeCall: From<LocalCall>,
{
	type Extension = TxExtension;

	fn create_transaction(call: RuntimeCall, extension: TxExtension) -> UncheckedExtrinsic {
		generic::UncheckedExtrinsic::new_transaction(call, extension)
	}
}

impl<LocalCall> frame_system::offchain::CreateAuthorizedTransaction<LocalCall> for Runtime
where
	RuntimeCall: From<LocalCall>,
{
	fn create_extension() -> Self::Extension {
		(
			frame_system::AuthorizeCall::new(),
			frame_system::CheckNonZeroSender::new(),
			frame_system::CheckSpecVersion::new(),
			frame_system::CheckTxVersion::new(),
			frame_system::CheckGenesis::new(),
			frame_system::CheckEra::from(generic::Era::Immortal),
			frame_system::CheckNonce::from(0),
			frame_system::CheckWeight::new(),
			pallet_transaction_payment::ChargeTransactionPayment::from(0),
			frame_metadata_hash_extension::CheckMetadataHash::new(false),
			frame_system::WeightReclaim::new(),
		)
	}
}

/// The VRF output of the block's author, as BABE's pre-runtime digest brings it (DESIGN §4.5).
pub struct AuthorVrf;
impl BlockEntropy for AuthorVrf {
	fn current() -> Option<(Root, Root)> {
		// The pallet keeps an older output where a block has none: ask the block's own digest.
		let digest = System::digest();
		let pre_runtime = || digest.logs.iter().filter_map(|log| log.as_pre_runtime());
		let has_output = pre_runtime()
			.filter(|(engine, _)| *engine == sp_consensus_babe::BABE_ENGINE_ID)
			.filter_map(|(_, mut data)| {
				sp_consensus_babe::digests::PreDigest::decode(&mut data).ok()
			})
			.any(|digest| digest.vrf_signature().is_some());
		if !has_output {
			return None;
		}
		// `Authorship::author` would remember this block's author past the end of the block, and the
		// next one's fees would go to it.
		let author =
			<Runtime as pallet_authorship::Config>::FindAuthor::find_author(pre_runtime())?;
		let output = Babe::author_vrf_randomness()?;
		Some((BlakeTwo256::hash_of(&author), Root::from(output)))
	}
}

/// The provider that a task is matched to, and its buyer.
pub struct MarketParties;
impl TaskParties<AccountId> for MarketParties {
	fn parties(task: TaskId) -> Option<Parties<AccountId>> {
		let provider = JobEscrow::provider_on(task)?;
		let (buyer, buyer_url) = JobEscrow::buyer_of(task.job)?;
		let url = ProviderRegistry::endpoint_of(&provider)?.into_inner();
		let hot = ProviderRegistry::hot_key_of(&provider)?;
		Some(Parties { provider, hot, url, buyer, buyer_url: buyer_url.into_inner() })
	}
}

impl pallet_provider_registry::Config for Runtime {
	type Currency = Balances;
	type RuntimeHoldReason = RuntimeHoldReason;
	type MaxMachinesPerProvider = ConstU32<64>;
	type MaxAsksPerClass = ConstU32<512>;
	type MaxUnbonding = ConstU32<32>;
	type WeightInfo = pallet_provider_registry::weights::SubstrateWeight<Runtime>;
}

parameter_types! {
	pub const EscrowPalletId: PalletId = PalletId(*b"asy/escr");
	pub const TreasuryPalletId: PalletId = PalletId(*b"asy/trsy");
	pub TreasuryAccount: AccountId = TreasuryPalletId::get().into_account_truncating();
}

impl pallet_job_escrow::Config for Runtime {
	type RuntimeHoldReason = RuntimeHoldReason;
	type Currency = Balances;
	type Supply = ProviderRegistry;
	type Programs = Verification;
	type Audits = Verification;
	type Lots = Verification;
	type Ledger = Emissions;
	type Treasury = TreasuryAccount;
	type AdminOrigin = EnsureRoot<AccountId>;
	type PalletId = EscrowPalletId;
	type MaxTasks = ConstU32<1_024>;
	type MaxRefused = ConstU32<8>;
	type WeightInfo = pallet_job_escrow::weights::SubstrateWeight<Runtime>;
	#[cfg(feature = "runtime-benchmarks")]
	type Helper = benchmarks::Helper;
}

impl pallet_verification::Config for Runtime {
	type Currency = Balances;
	type RuntimeHoldReason = RuntimeHoldReason;
	type Entropy = AuthorVrf;
	type Sink = JobEscrow;
	type Ledger = Emissions;
	type Endpoints = MarketParties;
	type MaxAuditors = MaxAuthorities;
	type EntropyKept = ConstU32<256>;
	type WeightInfo = pallet_verification::weights::SubstrateWeight<Runtime>;
	#[cfg(feature = "runtime-benchmarks")]
	type Helper = benchmarks::Helper;
}

impl pallet_emissions::Config for Runtime {
	type Currency = Balances;
	type MaxPayoutsPerBlock = ConstU32<100>;
	type WeightInfo = pallet_emissions::weights::SubstrateWeight<Runtime>;
}
