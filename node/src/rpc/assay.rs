//! Jobs, providers and figures of the network. Every method reads the state at a block: `at`, or
//! the best block where that is left out.

use crate::service::{Block, Hash};
use assay_primitives::{
	api::{JobsApi, NetworkApi, ProvidersApi},
	views::{JobView, JobsPage, NetworkStats, ProviderView, TaskView, MAX_PAGE},
	work::{JobId, TaskIndex},
	AccountId,
};
use jsonrpsee::{
	core::RpcResult,
	proc_macros::rpc,
	types::{error::INVALID_PARAMS_CODE, ErrorObjectOwned},
	RpcModule,
};
use serde::Deserialize;
use sp_api::{ApiError, ApiRef, ProvideRuntimeApi};
use sp_blockchain::HeaderBackend;
use sp_core::crypto::Ss58Codec;
use std::{fmt::Display, sync::Arc};

/// Records on a page where the limit is left out.
const DEFAULT_PAGE: u32 = 20;

/// Characters of the longest address.
const MAX_ADDRESS: usize = 64;

/// Error code: no such block is known.
pub const UNKNOWN_BLOCK: i32 = 50_001;
/// Error code: the runtime could not answer, for instance because the block's state is pruned.
pub const NO_ANSWER: i32 = 50_002;

/// An account in a request, in SS58.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct Address(AccountId);

impl TryFrom<String> for Address {
	type Error = String;

	fn try_from(text: String) -> Result<Self, String> {
		// Reading base 58 takes time by the square of its length: only an address's is read.
		if text.len() > MAX_ADDRESS {
			return Err(format!("an address has at most {MAX_ADDRESS} characters"));
		}
		AccountId::from_ss58check(&text).map(Self).map_err(|reason| format!("no address: {reason}"))
	}
}

/// Reads of Assay's own state.
#[rpc(server, namespace = "assay")]
pub trait AssayApi {
	/// One job; null if there is none of that number, or it ended long ago.
	#[method(name = "getJob", blocking)]
	fn job(&self, id: JobId, at: Option<Hash>) -> RpcResult<Option<JobView>>;

	/// Jobs with numbers below `before`, newest first.
	#[method(name = "listJobs", blocking)]
	fn jobs(
		&self,
		before: Option<JobId>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<JobsPage>;

	/// Tasks of a job from `start` on.
	#[method(name = "listTasks", blocking)]
	fn tasks(
		&self,
		job: JobId,
		start: Option<TaskIndex>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<Vec<TaskView>>;

	/// One provider; null if the account is none.
	#[method(name = "getProvider", blocking)]
	fn provider(&self, account: Address, at: Option<Hash>) -> RpcResult<Option<ProviderView>>;

	/// Providers that follow `after` in storage order.
	#[method(name = "listProviders", blocking)]
	fn providers(
		&self,
		after: Option<Address>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<Vec<ProviderView>>;

	/// Figures of the network.
	#[method(name = "networkStats", blocking)]
	fn network_stats(&self, at: Option<Hash>) -> RpcResult<NetworkStats>;
}

struct Assay<C> {
	client: Arc<C>,
}

/// The methods, answered by the client.
pub fn module<C>(client: Arc<C>) -> RpcModule<impl Send + Sync>
where
	C: ProvideRuntimeApi<Block> + HeaderBackend<Block> + 'static,
	C::Api: JobsApi<Block> + ProvidersApi<Block> + NetworkApi<Block>,
{
	Assay { client }.into_rpc()
}

impl<C> Assay<C>
where
	C: ProvideRuntimeApi<Block> + HeaderBackend<Block>,
{
	/// Asks the runtime at a known block.
	fn ask<T>(
		&self,
		at: Option<Hash>,
		question: impl FnOnce(ApiRef<'_, C::Api>, Hash) -> Result<T, ApiError>,
	) -> RpcResult<T> {
		let at = match at {
			None => self.client.info().best_hash,
			Some(hash) => match self.client.number(hash) {
				Ok(Some(_)) => hash,
				Ok(None) => {
					return Err(error(UNKNOWN_BLOCK, format!("no block {hash:?} is known")))
				}
				Err(reason) => return Err(error(NO_ANSWER, reason)),
			},
		};
		question(self.client.runtime_api(), at)
			.map_err(|reason| error(NO_ANSWER, format!("no answer at block {at:?}: {reason}")))
	}
}

impl<C> AssayApiServer for Assay<C>
where
	C: ProvideRuntimeApi<Block> + HeaderBackend<Block> + 'static,
	C::Api: JobsApi<Block> + ProvidersApi<Block> + NetworkApi<Block>,
{
	fn job(&self, id: JobId, at: Option<Hash>) -> RpcResult<Option<JobView>> {
		self.ask(at, |api, at| api.job(at, id))
	}

	fn jobs(
		&self,
		before: Option<JobId>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<JobsPage> {
		let limit = page(limit)?;
		self.ask(at, |api, at| api.jobs(at, before, limit))
	}

	fn tasks(
		&self,
		job: JobId,
		start: Option<TaskIndex>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<Vec<TaskView>> {
		let limit = page(limit)?;
		self.ask(at, |api, at| api.tasks(at, job, start.unwrap_or(0), limit))
	}

	fn provider(&self, account: Address, at: Option<Hash>) -> RpcResult<Option<ProviderView>> {
		self.ask(at, |api, at| api.provider(at, account.0))
	}

	fn providers(
		&self,
		after: Option<Address>,
		limit: Option<u32>,
		at: Option<Hash>,
	) -> RpcResult<Vec<ProviderView>> {
		let limit = page(limit)?;
		self.ask(at, |api, at| api.providers(at, after.map(|address| address.0), limit))
	}

	fn network_stats(&self, at: Option<Hash>) -> RpcResult<NetworkStats> {
		self.ask(at, |api, at| api.network_stats(at))
	}
}

/// The number of records to answer with. More than the runtime gives is an error rather than
/// fewer records, which would read like the end of the list.
fn page(limit: Option<u32>) -> RpcResult<u32> {
	match limit {
		None => Ok(DEFAULT_PAGE),
		Some(limit) if (1..=MAX_PAGE).contains(&limit) => Ok(limit),
		Some(limit) => Err(error(
			INVALID_PARAMS_CODE,
			format!("limit is {limit}, but a page holds 1 to {MAX_PAGE} records"),
		)),
	}
}

fn error(code: i32, message: impl Display) -> ErrorObjectOwned {
	ErrorObjectOwned::owned(code, message.to_string(), None::<()>)
}

#[cfg(test)]
mod tests {
	use super::*;
	use crate::rpc::mock::{Mock, BEST, PRUNED};
	use jsonrpsee::{core::server::MethodsError, rpc_params};
	use serde_json::{json, Value};

	async fn call(method: &str, params: Value) -> Result<Value, (i32, String)> {
		let params: Vec<Value> = serde_json::from_value(params).unwrap();
		match module(Arc::new(Mock)).call(method, params).await {
			Ok(value) => Ok(value),
			Err(MethodsError::JsonRpc(e)) => Err((e.code(), e.message().to_string())),
			Err(other) => panic!("{other}"),
		}
	}

	#[tokio::test]
	async fn unknown_things_are_null_and_pages_past_the_end_empty() {
		assert_eq!(call("assay_getJob", json!([7])).await, Ok(Value::Null));
		let account = "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY";
		assert_eq!(call("assay_getProvider", json!([account])).await, Ok(Value::Null));
		assert_eq!(
			call("assay_listJobs", json!([0])).await,
			Ok(json!({ "jobs": [], "next": null }))
		);
		assert_eq!(call("assay_listTasks", json!([3, 99])).await, Ok(json!([])));
		assert_eq!(call("assay_listProviders", json!([])).await, Ok(json!([])));
	}

	#[tokio::test]
	async fn figures_are_read_at_the_block_asked_for() {
		let best = call("assay_networkStats", json!([])).await.unwrap();
		assert_eq!(best["block"], 3);
		assert_eq!(best["escrow"], "340282366920938463463374607431768211455");
		let first = call("assay_networkStats", json!([Hash::repeat_byte(1)])).await.unwrap();
		assert_eq!(first["block"], 1);
		assert_eq!(call("assay_networkStats", json!([BEST])).await.unwrap(), best);
	}

	#[tokio::test]
	async fn limits_beyond_a_page_are_refused() {
		for (method, before) in [
			("assay_listJobs", json!([null])),
			("assay_listTasks", json!([1, 0])),
			("assay_listProviders", json!([null])),
		] {
			for limit in [0, 101, u32::MAX] {
				let mut params = before.clone();
				params.as_array_mut().unwrap().push(limit.into());
				let (code, message) = call(method, params).await.unwrap_err();
				assert_eq!(code, INVALID_PARAMS_CODE);
				assert!(
					message.contains(&limit.to_string()) && message.contains("100"),
					"{message}"
				);
			}
			let mut params = before;
			params.as_array_mut().unwrap().push(100.into());
			assert!(call(method, params).await.is_ok());
		}
	}

	#[tokio::test]
	async fn unknown_and_pruned_blocks_are_told_apart() {
		let (code, message) =
			call("assay_networkStats", json!([Hash::repeat_byte(99)])).await.unwrap_err();
		assert_eq!(code, UNKNOWN_BLOCK);
		assert!(message.contains("0x6363"), "{message}");
		let (code, message) = call("assay_networkStats", json!([PRUNED])).await.unwrap_err();
		assert_eq!(code, NO_ANSWER);
		assert!(message.contains("discarded"), "{message}");
	}

	#[tokio::test]
	async fn malformed_parameters_are_refused() {
		for (method, params) in [
			("assay_getJob", json!([])),
			("assay_getJob", json!(["one"])),
			("assay_getJob", json!([-1])),
			("assay_getProvider", json!(["5Grw"])),
			("assay_networkStats", json!(["0x12"])),
		] {
			let (code, _) = call(method, params.clone()).await.unwrap_err();
			assert_eq!(code, INVALID_PARAMS_CODE, "{method} {params}");
		}
		let module = module(Arc::new(Mock));
		let unknown = module.call::<_, Value>("assay_getTask", rpc_params![]).await;
		assert!(matches!(unknown, Err(MethodsError::JsonRpc(e)) if e.code() == -32601));
	}
}
