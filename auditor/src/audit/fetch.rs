//! Fetching what an audit needs from those who may have it.

use super::{Auditing, Sources, Stop, Work};
use crate::{lanes::Lanes, source::Endpoint, turns::Turn, watch::Lacking};
use assay_compute::{Root, Shape, Tensor, ValidProgram};
use futures::{stream, StreamExt};
use std::{
	collections::{HashMap, HashSet},
	sync::PoisonError,
	time::Duration,
};
use tokio::time::Instant;

/// Why nothing came where nobody could be asked.
const NO_URL: &str = "there is no URL to fetch from";

/// Who gave something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
	Worker,
	Buyer,
}

/// A tensor's name.
pub type Named = (Root, Shape);

/// What came of fetching tensors.
pub struct Gathered {
	pub tensors: HashMap<Named, Tensor>,
	/// What nobody gave, or, unless it may be demanded, the first of it.
	pub missing: Vec<Named>,
	/// Why.
	pub why: String,
}

impl Sources {
	/// Those that there are, in this order.
	pub fn in_order(self, worker_first: bool) -> Vec<Endpoint> {
		let Self { worker, buyer } = self;
		let both = if worker_first { [worker, buyer] } else { [buyer, worker] };
		both.into_iter().flatten().collect()
	}
}

impl Auditing {
	/// Somebody's data plane; `None` without a URL.
	pub(super) fn endpoint(&self, url: Vec<u8>) -> Option<Endpoint> {
		let base = String::from_utf8(url).ok().filter(|base| !base.is_empty())?;
		Some(Endpoint {
			fetcher: self.fetcher.clone(),
			base,
			retry: self.config.retry,
			lanes: Lanes::new(self.config.parallel_fetches),
			deadline: Instant::now(),
		})
	}

	/// The program, from the worker first or the buyer, and who gave it. Sets the time until which the
	/// same source is to give what else is fetched in the same turn.
	pub(super) async fn program(
		&self,
		work: &Work,
		sources: &mut Sources,
		id: &Root,
		worker_first: bool,
	) -> Result<(ValidProgram, By), Stop> {
		let Sources { worker, buyer } = sources;
		let mut asked = Vec::with_capacity(2);
		asked.extend(worker.as_mut().map(|endpoint| (endpoint, By::Worker)));
		asked.extend(buyer.as_mut().map(|endpoint| (endpoint, By::Buyer)));
		// Taken from its end.
		if worker_first {
			asked.reverse();
		}
		let mut why = NO_URL.to_owned();
		while let Some((endpoint, by)) = asked.pop() {
			let lacking = if asked.is_empty() { Lacking::Nowhere } else { Lacking::Elsewhere };
			*endpoint = endpoint.again(work.watch.fetch_time(self.config.fetch_time, lacking));
			let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
			match endpoint.get(|| fetcher.program(base, id)).await.map_err(Stop::from) {
				Ok(program) => return Ok((program, by)),
				Err(Stop::Unavailable(error)) => why = error,
				Err(stop) => return Err(stop),
			}
		}
		Err(Stop::Unavailable(why))
	}

	/// Fetches tensors, each distinct one once, when its turn comes: from the first who may have them,
	/// then what it lacks from the next. What the last one `lacking` something means says how long it
	/// is waited for. `consts` are kept for later audits.
	pub(super) async fn gather(
		&self,
		work: &mut Work,
		from: &[Endpoint],
		lacking: Lacking,
		wanted: &[Named],
		consts: &[Root],
	) -> Result<Gathered, Stop> {
		let distinct: HashSet<Named> = wanted.iter().copied().collect();
		let consts: HashSet<&Root> = consts.iter().collect();
		let mut tensors = HashMap::with_capacity(distinct.len());
		let mut missing = Vec::new();
		for (root, shape) in distinct {
			match self.kept(&root, shape) {
				Some(tensor) => {
					tensors.insert((root, shape), tensor);
				}
				None => missing.push((root, shape)),
			}
		}
		let mut why = NO_URL.to_owned();
		if missing.is_empty() {
			return Ok(Gathered { tensors, missing, why });
		}
		let _turn = work.turn(&self.fetching, 1).await;
		let mut from = from.iter().peekable();
		while let Some(endpoint) = from.next().filter(|_| !missing.is_empty()) {
			let is_last = from.peek().is_none();
			let bytes = missing.iter().map(|(_, shape)| shape.bytes()).fold(0, u64::saturating_add);
			let moving = Duration::from_secs(bytes / self.config.fetch_rate.max(1));
			let time = self.config.fetch_time.saturating_add(moving);
			let lacking = if is_last { lacking } else { Lacking::Elsewhere };
			let endpoint = &endpoint.again(work.watch.fetch_time(time, lacking));
			let fetches = std::mem::take(&mut missing).into_iter().map(|named| async move {
				let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
				let (root, shape) = named;
				(named, endpoint.get(|| fetcher.tensor(base, &root, shape)).await)
			});
			let parallel = self.config.parallel_fetches.max(1);
			let mut fetches = stream::iter(fetches).buffer_unordered(parallel);
			while let Some(((root, shape), fetched)) = fetches.next().await {
				match fetched.map_err(Stop::from) {
					Ok(tensor) => {
						if consts.contains(&root) {
							self.keep(root, shape, &tensor);
						}
						tensors.insert((root, shape), tensor);
					}
					Err(Stop::Unavailable(error)) => {
						missing.push((root, shape));
						why = error;
						// Nobody has it: the others are of no use, but to know what is missing.
						if is_last && lacking != Lacking::Demanded {
							break;
						}
					}
					Err(stop) => return Err(stop),
				}
			}
		}
		Ok(Gathered { tensors, missing, why })
	}

	/// Sees whether somebody serves a tensor, of which nothing is kept.
	pub(super) async fn look_at(
		&self,
		work: &mut Work,
		endpoint: Endpoint,
		root: Root,
		shape: Shape,
	) -> Result<(), Stop> {
		let (_turn, endpoint) = self.turn_to_fetch(work, endpoint, shape).await;
		let (fetcher, base) = (&endpoint.fetcher, &endpoint.base);
		let look = || async move {
			let mut pieces = fetcher.tensor_pieces(base, &root, shape).await?;
			while pieces.next().await?.is_some() {}
			Ok(())
		};
		Ok(endpoint.get(look).await?)
	}

	/// The turn to fetch a tensor that nobody else may give, and the time for it.
	pub(super) async fn turn_to_fetch(
		&self,
		work: &mut Work,
		endpoint: Endpoint,
		shape: Shape,
	) -> (Turn, Endpoint) {
		let turn = work.turn(&self.fetching, 1).await;
		let moving = Duration::from_secs(shape.bytes() / self.config.fetch_rate.max(1));
		let time = self.config.fetch_time.saturating_add(moving);
		(turn, endpoint.again(work.watch.fetch_time(time, Lacking::Nowhere)))
	}

	fn keep(&self, root: Root, shape: Shape, tensor: &Tensor) {
		let mut kept = self.consts.lock().unwrap_or_else(PoisonError::into_inner);
		kept.insert(root, tensor.clone(), shape.bytes());
	}

	fn kept(&self, root: &Root, shape: Shape) -> Option<Tensor> {
		let mut kept = self.consts.lock().unwrap_or_else(PoisonError::into_inner);
		kept.get(root).filter(|tensor| tensor.shape() == shape)
	}
}

impl Gathered {
	/// All of them, or why some are missing.
	pub fn complete(self) -> Result<HashMap<Named, Tensor>, Stop> {
		match self.missing.is_empty() {
			true => Ok(self.tensors),
			false => Err(Stop::Unavailable(self.why)),
		}
	}
}
