//! How many connections there are, whose they are, and who must leave when there is no room.

use super::{
	client::{Client, Site},
	queue::Queue,
};
use std::{
	collections::{BTreeMap, HashMap},
	hash::Hash,
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::{Duration, Instant},
};
use tokio::{
	sync::{oneshot, Notify},
	time::timeout,
};

/// As many clients of one site may have all that a client may have.
const SITE_CLIENTS: usize = 4;

/// Room for connections: so many in all, and so many for one client and for one site.
pub struct Seats {
	taken: Mutex<Taken>,
}

struct Taken {
	total: usize,
	per_client: usize,
	next: u64,
	/// By the order in which they came.
	seats: BTreeMap<u64, Sitting>,
	clients: HashMap<Client, usize>,
	sites: HashMap<Site, usize>,
	waiting: Queue<oneshot::Sender<Arc<Seat>>>,
}

struct Sitting {
	client: Client,
	/// Since when no request is under way; `None` while one is.
	idle_since: Option<Instant>,
	leave: Arc<Notify>,
}

/// Whether a client may have a further seat.
enum Room {
	/// There is one.
	Made,
	/// Not before somebody leaves.
	Lacking,
	/// It has all that it may have.
	Denied,
}

/// A new connection's claim to a seat.
pub enum Claim {
	/// It has one.
	Granted(Arc<Seat>),
	/// It waits for one.
	Waiting(Waiting),
}

/// A place in the queue, until dropped.
pub struct Waiting {
	seats: Arc<Seats>,
	place: u64,
	granted: oneshot::Receiver<Arc<Seat>>,
}

impl Seats {
	/// Room for `total` connections, `per_client` of them for each client, and for `waiting` beside
	/// them to wait.
	pub fn new(total: usize, per_client: usize, waiting: usize) -> Arc<Self> {
		let taken = Taken {
			total,
			per_client,
			next: 0,
			seats: BTreeMap::new(),
			clients: HashMap::new(),
			sites: HashMap::new(),
			waiting: Queue::new(waiting),
		};
		Arc::new(Self { taken: Mutex::new(taken) })
	}

	/// A seat for a client's new connection, or a place in the queue for one. If there is no room, the
	/// longest idle connection must leave: the client's own, or its site's, if that has all it may
	/// have, else its own or one of a site that has more, or of a client of its site that has more. If
	/// none of those is idle, the oldest leaves of the site that has most, or of its own site's client
	/// that has most, if that is more by two at least. `None`: there is neither a seat nor a place.
	pub fn claim(self: &Arc<Self>, client: Client) -> Option<Claim> {
		let mut taken = self.lock();
		match taken.make_room(client) {
			Room::Made => {
				let (id, leave) = taken.sit(client);
				drop(taken);
				Some(Claim::Granted(self.seat(id, leave)))
			}
			Room::Denied => None,
			Room::Lacking => {
				let (wake, granted) = oneshot::channel();
				let place = taken.waiting.enter(client, wake)?;
				Some(Claim::Waiting(Waiting { seats: self.clone(), place, granted }))
			}
		}
	}

	/// Changes who sits where, and gives what that makes free to those who wait.
	fn change(self: &Arc<Self>, change: impl FnOnce(&mut Taken)) {
		let granted = {
			let mut taken = self.lock();
			change(&mut taken);
			taken.serve()
		};
		for (wake, id, leave) in granted {
			// Whoever has just given up gives it back: not under the lock, which that takes.
			drop(wake.send(self.seat(id, leave)));
		}
	}

	fn seat(self: &Arc<Self>, id: u64, leave: Arc<Notify>) -> Arc<Seat> {
		Arc::new(Seat { seats: self.clone(), id, leave })
	}

	fn lock(&self) -> MutexGuard<'_, Taken> {
		self.taken.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl Claim {
	/// The seat, if there is one within `patience`.
	pub async fn granted(self, patience: Duration) -> Option<Arc<Seat>> {
		match self {
			Claim::Granted(seat) => Some(seat),
			Claim::Waiting(mut waiting) => timeout(patience, &mut waiting.granted).await.ok()?.ok(),
		}
	}
}

impl Drop for Waiting {
	fn drop(&mut self) {
		self.seats.lock().waiting.remove(self.place);
	}
}

impl Taken {
	/// Makes room for one more of a client's, if that may be.
	fn make_room(&mut self, client: Client) -> Room {
		let leaver = if self.count(client) >= self.per_client {
			self.longest_idle(|other| other == client).ok_or(Room::Denied)
		} else if self.site_count(client) >= self.per_client.saturating_mul(SITE_CLIENTS) {
			self.longest_idle(|other| other.site() == client.site()).ok_or(Room::Denied)
		} else if self.seats.len() < self.total {
			return Room::Made;
		} else {
			let idle = self.longest_idle(|other| self.yields(other, client));
			idle.or_else(|| self.of_the_greediest(client)).ok_or(Room::Lacking)
		};
		match leaver {
			Ok(leaver) => {
				if let Some(leave) = self.remove(leaver) {
					leave.notify_one();
				}
				Room::Made
			}
			Err(room) => room,
		}
	}

	/// Whether an idle connection leaves for a client. Who has little loses nothing to those who have
	/// more, not even in a pause.
	fn yields(&self, other: Client, client: Client) -> bool {
		match other.site() == client.site() {
			true => other == client || self.count(other) > self.count(client),
			false => self.site_count(other) > self.site_count(client),
		}
	}

	/// The oldest connection of who has most, if that is fair to a client.
	fn of_the_greediest(&self, client: Client) -> Option<u64> {
		let site = most(&self.sites, |_| true)
			.filter(|(_, count)| *count > self.site_count(client) + 1)
			.map(|(site, _)| site);
		// Among sites it is fair: then within its own.
		let own = self.count(client);
		let greediest = match site {
			Some(site) => most(&self.clients, |other| other.site() == site),
			None => most(&self.clients, |other| other.site() == client.site())
				.filter(|(_, count)| *count > own + 1),
		};
		let (greediest, _) = greediest?;
		let theirs = |(_, sitting): &(&u64, &Sitting)| sitting.client == greediest;
		self.seats.iter().find(theirs).map(|(id, _)| *id)
	}

	fn longest_idle(&self, whose: impl Fn(Client) -> bool) -> Option<u64> {
		let idle = self.seats.iter().filter(|(_, sitting)| whose(sitting.client));
		let idle = idle.filter_map(|(id, sitting)| Some((sitting.idle_since?, *id)));
		idle.min().map(|(_, id)| id)
	}

	/// Gives seats to those who wait, as far as there are any: who has least comes first.
	fn serve(&mut self) -> Vec<(oneshot::Sender<Arc<Seat>>, u64, Arc<Notify>)> {
		let mut served = Vec::new();
		loop {
			let rank = |client| (self.site_count(client), self.count(client));
			let Some((place, client)) = self.waiting.first_by(rank) else { break };
			let room = self.make_room(client);
			if matches!(room, Room::Lacking) {
				break;
			}
			if let Some(wake) = self.waiting.remove(place) {
				if matches!(room, Room::Made) {
					let (id, leave) = self.sit(client);
					served.push((wake, id, leave));
				}
			}
		}
		served
	}

	fn sit(&mut self, client: Client) -> (u64, Arc<Notify>) {
		let id = self.next;
		self.next = id.wrapping_add(1);
		let leave = Arc::new(Notify::new());
		let idle_since = Some(Instant::now());
		self.seats.insert(id, Sitting { client, idle_since, leave: leave.clone() });
		*self.clients.entry(client).or_default() += 1;
		*self.sites.entry(client.site()).or_default() += 1;
		(id, leave)
	}

	fn remove(&mut self, id: u64) -> Option<Arc<Notify>> {
		let Sitting { client, leave, .. } = self.seats.remove(&id)?;
		decrement(&mut self.clients, client);
		decrement(&mut self.sites, client.site());
		Some(leave)
	}

	fn count(&self, client: Client) -> usize {
		self.clients.get(&client).copied().unwrap_or(0)
	}

	fn site_count(&self, client: Client) -> usize {
		self.sites.get(&client.site()).copied().unwrap_or(0)
	}
}

/// Who of some has most.
fn most<K: Copy>(counts: &HashMap<K, usize>, of: impl Fn(K) -> bool) -> Option<(K, usize)> {
	let some = counts.iter().map(|(who, count)| (*who, *count)).filter(|(who, _)| of(*who));
	some.max_by_key(|(_, count)| *count)
}

fn decrement<K: Eq + Hash>(counts: &mut HashMap<K, usize>, who: K) {
	match counts.get_mut(&who) {
		Some(count) if *count > 1 => *count -= 1,
		_ => {
			counts.remove(&who);
		}
	}
}

/// One connection's seat, until dropped.
pub struct Seat {
	seats: Arc<Seats>,
	id: u64,
	leave: Arc<Notify>,
}

impl Seat {
	/// Resolves when another connection has been given the seat.
	pub async fn lost(&self) {
		self.leave.notified().await;
	}

	/// Marks the connection as busy with a request until what is returned is dropped.
	pub fn busy(self: &Arc<Self>) -> Busy {
		self.set_idle(None);
		Busy(self.clone())
	}

	fn set_idle(&self, since: Option<Instant>) {
		// An idle connection may make room for somebody who waits.
		self.seats.change(|taken| {
			if let Some(sitting) = taken.seats.get_mut(&self.id) {
				sitting.idle_since = since;
			}
		});
	}
}

impl Drop for Seat {
	fn drop(&mut self) {
		self.seats.change(|taken| drop(taken.remove(self.id)));
	}
}

/// A request under way.
pub struct Busy(Arc<Seat>);

impl Drop for Busy {
	fn drop(&mut self) {
		self.0.set_idle(Some(Instant::now()));
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use futures::FutureExt;
	use std::net::{IpAddr, Ipv4Addr};

	fn client(last: u8) -> Client {
		IpAddr::from(Ipv4Addr::new(192, 0, 2, last)).into()
	}

	/// A client of a site of IPv6.
	fn v6(site: u16, network: u16) -> Client {
		IpAddr::from([0x2001, 0xdb8, site, network, 0, 0, 0, 1]).into()
	}

	/// Tries to get a seat at once.
	fn take(seats: &Arc<Seats>, client: Client) -> Option<Arc<Seat>> {
		seated(seats.claim(client)?)
	}

	/// The seat, if there is one by now.
	fn seated(claim: Claim) -> Option<Arc<Seat>> {
		match claim {
			Claim::Granted(seat) => Some(seat),
			Claim::Waiting(mut waiting) => waiting.granted.try_recv().ok(),
		}
	}

	fn has_lost(seat: &Seat) -> bool {
		seat.lost().now_or_never().is_some()
	}

	#[test]
	fn one_client_gets_its_share_and_no_more() {
		let seats = Seats::new(8, 2, 2);
		let (first, second) = (take(&seats, client(1)).unwrap(), take(&seats, client(1)).unwrap());
		let busy = (first.busy(), second.busy());
		assert!(take(&seats, client(1)).is_none());
		assert!(take(&seats, client(2)).is_some());
		// Its own idle connection makes room, and nobody else's.
		let other = take(&seats, client(2)).unwrap();
		drop(busy.1);
		let third = take(&seats, client(1)).unwrap();
		assert!(has_lost(&second) && !has_lost(&first) && !has_lost(&other) && !has_lost(&third));
		drop(third);
		assert!(take(&seats, client(1)).is_some());
	}

	#[test]
	fn the_longest_idle_leaves_when_all_seats_are_taken() {
		let seats = Seats::new(3, 3, 2);
		let first = take(&seats, client(1)).unwrap();
		let second = take(&seats, client(2)).unwrap();
		let third = take(&seats, client(3)).unwrap();
		drop(first.busy());
		let _busy = second.busy();
		let fourth = take(&seats, client(4)).unwrap();
		assert!(has_lost(&third) && !has_lost(&first) && !has_lost(&second));
		// Whoever has one already gets no second one at the cost of those who have one too.
		assert!(take(&seats, client(2)).is_none());
		let _fifth = take(&seats, client(5)).unwrap();
		assert!(has_lost(&first) && !has_lost(&fourth));
	}

	#[test]
	fn the_greediest_shares_when_all_are_busy() {
		let seats = Seats::new(3, 3, 2);
		let greedy: Vec<_> = (0..2).map(|_| take(&seats, client(1)).unwrap()).collect();
		let modest = take(&seats, client(2)).unwrap();
		let _busy: Vec<_> = greedy.iter().chain([&modest]).map(|seat| seat.busy()).collect();
		let newcomer = take(&seats, client(3)).unwrap();
		let _busy = (_busy, newcomer.busy());
		assert!(has_lost(&greedy[0]) && !has_lost(&greedy[1]) && !has_lost(&modest));
		// All have one now, and nobody is closed for another.
		assert!(take(&seats, client(4)).is_none());
		assert!(take(&seats, client(1)).is_none());
	}

	#[test]
	fn who_finds_no_seat_has_the_next_that_is_free() {
		let seats = Seats::new(2, 2, 2);
		let held = [take(&seats, client(1)).unwrap(), take(&seats, client(2)).unwrap()];
		let busy = held.each_ref().map(|seat| seat.busy());
		let more = seats.claim(client(1)).unwrap();
		let newcomer = seats.claim(client(3)).unwrap();
		assert!(seats.claim(client(4)).is_none(), "the queue is full");
		// The one who has none comes first, though he came later.
		let [first, second] = busy;
		drop(second);
		assert!(has_lost(&held[1]));
		let newcomer = seated(newcomer).unwrap();
		let _busy = newcomer.busy();
		let again = seats.claim(client(2)).unwrap();
		// Who has given up gets none.
		drop(again);
		drop((first, held));
		assert!(seated(more).is_some());
		assert_eq!(
			seats.lock().seats.len(),
			1,
			"of all seats those of who is still there are taken"
		);
	}

	#[tokio::test]
	async fn nobody_waits_for_ever() {
		let seats = Seats::new(1, 1, 1);
		let held = take(&seats, client(1)).unwrap();
		let _busy = held.busy();
		let claim = seats.claim(client(2)).unwrap();
		assert!(claim.granted(Duration::from_millis(20)).await.is_none());
		// And leaves the queue.
		assert!(seats.claim(client(3)).is_some());
		// Who has all that it may have does not even begin to.
		assert!(seats.claim(client(1)).is_none());
	}

	#[test]
	fn networks_of_one_site_count_together() {
		let seats = Seats::new(6, 6, 2);
		let held: Vec<_> = (0..6).map(|network| take(&seats, v6(1, network)).unwrap()).collect();
		let _busy: Vec<_> = held.iter().map(|seat| seat.busy()).collect();
		// Each network has one, and yet they share with somebody else as one who has six.
		let _others: Vec<_> = (0..3).map(|_| take(&seats, client(1)).unwrap().busy()).collect();
		assert_eq!(held.iter().filter(|seat| has_lost(seat)).count(), 3);
		assert!(take(&seats, client(1)).is_none());
		// Within a site its networks share.
		let seats = Seats::new(4, 4, 2);
		let held: Vec<_> = (0..4).map(|_| take(&seats, v6(1, 1)).unwrap()).collect();
		let _busy: Vec<_> = held.iter().map(|seat| seat.busy()).collect();
		assert!(take(&seats, v6(1, 2)).is_some() && has_lost(&held[0]));
		// And all of them have no more than a few clients.
		let seats = Seats::new(100, 2, 2);
		let held: Vec<_> = (0..9).filter_map(|network| take(&seats, v6(1, network))).collect();
		let _busy: Vec<_> = held.iter().map(|seat| seat.busy()).collect();
		assert!(take(&seats, v6(1, 9)).is_none() && take(&seats, v6(2, 1)).is_some());
	}
}
