//! How many connections there are, whose they are, and who must leave when there is no room.

use super::client::Client;
use std::{
	collections::{BTreeMap, HashMap},
	sync::{Arc, Mutex, MutexGuard, PoisonError},
	time::Instant,
};
use tokio::sync::Notify;

/// Room for connections: so many in all, and so many for one client.
pub struct Seats {
	total: usize,
	per_client: usize,
	taken: Mutex<Taken>,
}

#[derive(Default)]
struct Taken {
	next: u64,
	/// By the order in which they came.
	seats: BTreeMap<u64, Sitting>,
	clients: HashMap<Client, usize>,
}

struct Sitting {
	client: Client,
	/// Since when no request is under way; `None` while one is.
	idle_since: Option<Instant>,
	leave: Arc<Notify>,
}

impl Seats {
	/// Room for `total` connections, `per_client` of them for each client.
	pub fn new(total: usize, per_client: usize) -> Arc<Self> {
		Arc::new(Self { total, per_client, taken: Mutex::default() })
	}

	/// A seat for a client's new connection. If there is no room, the longest idle connection must
	/// leave: the client's own if it has all it may have, else its own or one of a client that has
	/// more. If none of those is idle, the oldest leaves of the client that has most, if that is more
	/// by two at least. `None`: nobody leaves.
	pub fn take(self: &Arc<Self>, client: Client) -> Option<Arc<Seat>> {
		let mut taken = self.lock();
		let own = taken.count(client);
		if own >= self.per_client {
			let idle = taken.longest_idle(|other| other == client)?;
			taken.send_away(idle);
		} else if taken.seats.len() >= self.total {
			// Who has little loses nothing to those who have more, not even in a pause.
			let yields = |other| other == client || taken.count(other) > own;
			let leaver = taken.longest_idle(yields).or_else(|| taken.of_the_greediest(own))?;
			taken.send_away(leaver);
		}
		let id = taken.next;
		taken.next = id.wrapping_add(1);
		let leave = Arc::new(Notify::new());
		let idle_since = Some(Instant::now());
		taken.seats.insert(id, Sitting { client, idle_since, leave: leave.clone() });
		*taken.clients.entry(client).or_default() += 1;
		drop(taken);
		Some(Arc::new(Seat { seats: self.clone(), id, leave }))
	}

	fn lock(&self) -> MutexGuard<'_, Taken> {
		self.taken.lock().unwrap_or_else(PoisonError::into_inner)
	}
}

impl Taken {
	fn count(&self, client: Client) -> usize {
		self.clients.get(&client).copied().unwrap_or(0)
	}

	fn longest_idle(&self, whose: impl Fn(Client) -> bool) -> Option<u64> {
		let idle = self.seats.iter().filter(|(_, sitting)| whose(sitting.client));
		let idle = idle.filter_map(|(id, sitting)| Some((sitting.idle_since?, *id)));
		idle.min().map(|(_, id)| id)
	}

	/// The oldest connection of the client that has most, if that is fair to a client with `own`.
	fn of_the_greediest(&self, own: usize) -> Option<u64> {
		let (greediest, count) = self.clients.iter().max_by_key(|(_, count)| **count)?;
		let theirs = |(_, sitting): &(&u64, &Sitting)| sitting.client == *greediest;
		(*count > own + 1).then(|| self.seats.iter().find(theirs).map(|(id, _)| *id))?
	}

	fn send_away(&mut self, id: u64) {
		if let Some(leave) = self.remove(id) {
			leave.notify_one();
		}
	}

	fn remove(&mut self, id: u64) -> Option<Arc<Notify>> {
		let Sitting { client, leave, .. } = self.seats.remove(&id)?;
		match self.clients.get_mut(&client) {
			Some(count) if *count > 1 => *count -= 1,
			_ => {
				self.clients.remove(&client);
			}
		}
		Some(leave)
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
		if let Some(sitting) = self.seats.lock().seats.get_mut(&self.id) {
			sitting.idle_since = since;
		}
	}
}

impl Drop for Seat {
	fn drop(&mut self) {
		self.seats.lock().remove(self.id);
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

	fn has_lost(seat: &Seat) -> bool {
		seat.lost().now_or_never().is_some()
	}

	#[test]
	fn one_client_gets_its_share_and_no_more() {
		let seats = Seats::new(8, 2);
		let (first, second) = (seats.take(client(1)).unwrap(), seats.take(client(1)).unwrap());
		let busy = (first.busy(), second.busy());
		assert!(seats.take(client(1)).is_none());
		assert!(seats.take(client(2)).is_some());
		// Its own idle connection makes room, and nobody else's.
		let other = seats.take(client(2)).unwrap();
		drop(busy.1);
		let third = seats.take(client(1)).unwrap();
		assert!(has_lost(&second) && !has_lost(&first) && !has_lost(&other) && !has_lost(&third));
		drop(third);
		assert!(seats.take(client(1)).is_some());
	}

	#[test]
	fn the_longest_idle_leaves_when_all_seats_are_taken() {
		let seats = Seats::new(3, 3);
		let first = seats.take(client(1)).unwrap();
		let second = seats.take(client(2)).unwrap();
		let third = seats.take(client(3)).unwrap();
		drop(first.busy());
		let _busy = second.busy();
		let fourth = seats.take(client(4)).unwrap();
		assert!(has_lost(&third) && !has_lost(&first) && !has_lost(&second));
		// Whoever has one already gets no second one at the cost of those who have one too.
		assert!(seats.take(client(2)).is_none());
		let _fifth = seats.take(client(5)).unwrap();
		assert!(has_lost(&first) && !has_lost(&fourth));
	}

	#[test]
	fn the_greediest_shares_when_all_are_busy() {
		let seats = Seats::new(3, 3);
		let greedy: Vec<_> = (0..2).map(|_| seats.take(client(1)).unwrap()).collect();
		let modest = seats.take(client(2)).unwrap();
		let _busy: Vec<_> = greedy.iter().chain([&modest]).map(|seat| seat.busy()).collect();
		let newcomer = seats.take(client(3)).unwrap();
		let _busy = (_busy, newcomer.busy());
		assert!(has_lost(&greedy[0]) && !has_lost(&greedy[1]) && !has_lost(&modest));
		// All have one now, and nobody is closed for another.
		assert!(seats.take(client(4)).is_none());
		assert!(seats.take(client(1)).is_none());
	}
}
