//! A connection whose peer must take what it asked for at a minimum rate.

use std::{
	future::Future,
	io,
	pin::Pin,
	task::{Context, Poll},
	time::Duration,
};
use tokio::{
	io::{AsyncRead, AsyncWrite, ReadBuf},
	time::{sleep_until, Instant, Sleep},
};

/// Fails writes to a peer that takes fewer than so many bytes while it is waited for.
///
/// Only the time counts in which bytes wait for the peer: neither a slow disk on this side nor a
/// pause between requests is the peer's fault.
pub struct Paced<S> {
	inner: S,
	/// Waiting after which the peer is judged.
	window: Duration,
	/// Bytes that it must have taken by then.
	floor: u64,
	taken: u64,
	waited: Duration,
	waiting_since: Option<Instant>,
	alarm: Pin<Box<Sleep>>,
}

impl<S> Paced<S> {
	/// A connection that must take `rate` bytes a second over each `window` of waiting.
	pub fn new(inner: S, rate: u64, window: Duration) -> Self {
		let window = window.max(Duration::from_millis(1));
		let floor = (rate as f64 * window.as_secs_f64()) as u64;
		let alarm = Box::pin(sleep_until(Instant::now()));
		Self { inner, window, floor, taken: 0, waited: Duration::ZERO, waiting_since: None, alarm }
	}

	/// What came of a write.
	fn note(
		&mut self,
		cx: &mut Context<'_>,
		written: Poll<io::Result<usize>>,
	) -> Poll<io::Result<usize>> {
		match written {
			Poll::Ready(Ok(bytes)) => {
				self.taken = self.taken.saturating_add(bytes as u64);
				if let Some(since) = self.waiting_since.take() {
					self.waited += since.elapsed();
				}
				if self.waited >= self.window {
					self.judge()?;
				}
				Poll::Ready(Ok(bytes))
			}
			Poll::Pending => {
				let now = Instant::now();
				let since = *self.waiting_since.get_or_insert(now);
				self.alarm.as_mut().reset(since + self.window.saturating_sub(self.waited));
				while self.alarm.as_mut().poll(cx).is_ready() {
					self.judge()?;
					self.waiting_since = Some(now);
					self.alarm.as_mut().reset(now + self.window);
				}
				Poll::Pending
			}
			failed => failed,
		}
	}

	/// Ends a window.
	fn judge(&mut self) -> io::Result<()> {
		let slow = self.taken < self.floor;
		(self.taken, self.waited) = (0, Duration::ZERO);
		match slow {
			true => Err(io::Error::new(io::ErrorKind::TimedOut, "the peer takes too little")),
			false => Ok(()),
		}
	}
}

impl<S: AsyncRead + Unpin> AsyncRead for Paced<S> {
	fn poll_read(
		mut self: Pin<&mut Self>,
		cx: &mut Context<'_>,
		buffer: &mut ReadBuf<'_>,
	) -> Poll<io::Result<()>> {
		Pin::new(&mut self.inner).poll_read(cx, buffer)
	}
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Paced<S> {
	fn poll_write(
		mut self: Pin<&mut Self>,
		cx: &mut Context<'_>,
		bytes: &[u8],
	) -> Poll<io::Result<usize>> {
		let written = Pin::new(&mut self.inner).poll_write(cx, bytes);
		self.note(cx, written)
	}

	fn poll_write_vectored(
		mut self: Pin<&mut Self>,
		cx: &mut Context<'_>,
		slices: &[io::IoSlice<'_>],
	) -> Poll<io::Result<usize>> {
		let written = Pin::new(&mut self.inner).poll_write_vectored(cx, slices);
		self.note(cx, written)
	}

	fn is_write_vectored(&self) -> bool {
		self.inner.is_write_vectored()
	}

	fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
		Pin::new(&mut self.inner).poll_flush(cx)
	}

	fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
		Pin::new(&mut self.inner).poll_shutdown(cx)
	}
}

#[cfg(test)]
mod tests {
	use super::*;
	use tokio::io::{duplex, AsyncReadExt, AsyncWriteExt};

	const WINDOW: Duration = Duration::from_millis(300);

	/// What writing 10,000 bytes comes to, read `bytes` at a time, 30 ms apart.
	async fn write_to(bytes: usize) -> io::Result<()> {
		let (ours, mut theirs) = duplex(16);
		tokio::spawn(async move {
			let mut buffer = vec![0; bytes];
			while theirs.read_exact(&mut buffer).await.is_ok() {
				tokio::time::sleep(Duration::from_millis(30)).await;
			}
		});
		Paced::new(ours, 1_000, WINDOW).write_all(&[7; 10_000]).await
	}

	#[tokio::test]
	async fn whoever_takes_too_little_is_dropped() {
		let begun = Instant::now();
		assert_eq!(write_to(5).await.unwrap_err().kind(), io::ErrorKind::TimedOut);
		assert!(begun.elapsed() < WINDOW * 4);
		// Several windows long, but quick enough in each.
		let begun = Instant::now();
		write_to(200).await.unwrap();
		assert!(begun.elapsed() > WINDOW * 3);
	}

	#[tokio::test]
	async fn pauses_of_this_side_are_nobodys_fault() {
		let (ours, mut theirs) = duplex(1_000);
		let mut ours = Paced::new(ours, 1_000, WINDOW);
		for _ in 0..3 {
			ours.write_all(&[7; 10]).await.unwrap();
			tokio::time::sleep(WINDOW * 2).await;
		}
		drop(ours);
		assert_eq!(theirs.read_to_end(&mut Vec::new()).await.unwrap(), 30);
	}
}
