//! Connections for which there is no seat yet, and which is to have the next.

use super::client::{Client, Site};
use std::collections::{BTreeMap, HashMap};

/// A bounded queue of clients, each with what wakes it.
pub struct Queue<W> {
	room: usize,
	next: u64,
	/// By the order in which they came.
	waiting: BTreeMap<u64, (Client, W)>,
}

impl<W> Queue<W> {
	/// Room for so many.
	pub fn new(room: usize) -> Self {
		Self { room, next: 0, waiting: BTreeMap::new() }
	}

	/// Queues a client. If there is no room, the newest leaves of the site that has most in the queue,
	/// if that is more by two at least. `None`: nobody leaves.
	pub fn enter(&mut self, client: Client, wake: W) -> Option<u64> {
		if self.waiting.len() >= self.room {
			let newest = self.of_the_greediest(client.site())?;
			self.waiting.remove(&newest);
		}
		let place = self.next;
		self.next = place.wrapping_add(1);
		self.waiting.insert(place, (client, wake));
		Some(place)
	}

	/// Of those for whom `rank` is least, the first to come.
	pub fn first_by<R: Ord>(&self, rank: impl Fn(Client) -> R) -> Option<(u64, Client)> {
		let ranked = self.waiting.iter().map(|(place, (client, _))| (*place, *client));
		ranked.min_by_key(|(place, client)| (rank(*client), *place))
	}

	/// Takes one out, be it that it has a seat or that it has left.
	pub fn remove(&mut self, place: u64) -> Option<W> {
		self.waiting.remove(&place).map(|(_, wake)| wake)
	}

	fn of_the_greediest(&self, site: Site) -> Option<u64> {
		let mut counts = HashMap::<Site, usize>::new();
		for (client, _) in self.waiting.values() {
			*counts.entry(client.site()).or_default() += 1;
		}
		let own = counts.get(&site).copied().unwrap_or(0);
		let (greediest, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
		let theirs = |(_, (client, _)): &(&u64, &(Client, W))| client.site() == greediest;
		let newest = self.waiting.iter().rev().find(theirs).map(|(place, _)| *place);
		newest.filter(|_| count > own + 1)
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use std::net::{IpAddr, Ipv4Addr};

	fn client(last: u8) -> Client {
		IpAddr::from(Ipv4Addr::new(192, 0, 2, last)).into()
	}

	#[test]
	fn a_full_queue_makes_room_for_who_has_less_in_it() {
		let mut queue = Queue::new(3);
		assert_eq!([1, 2, 1].map(|last| queue.enter(client(last), last)), [0, 1, 2].map(Some));
		assert_eq!(queue.enter(client(1), 1), None);
		assert_eq!(queue.enter(client(2), 2), None);
		let third = queue.enter(client(3), 3).unwrap();
		// All have one now.
		assert_eq!(queue.enter(client(4), 4), None);
		assert_eq!(queue.remove(2), None, "the newest of who had two has left");
		assert_eq!(queue.remove(third), Some(3));
	}

	#[test]
	fn the_first_of_the_lowest_rank_is_next() {
		let mut queue = Queue::new(3);
		assert!([1, 2, 3].iter().all(|last| queue.enter(client(*last), ()).is_some()));
		let rank = |who| u8::from(who == client(1));
		assert_eq!(queue.first_by(rank), Some((1, client(2))));
		assert_eq!(queue.first_by(|_| 0), Some((0, client(1))));
	}
}
