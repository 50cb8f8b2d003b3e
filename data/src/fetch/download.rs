//! A body as it arrives, within the limits of a policy.

use super::{rate::Rate, Policy, Reason};
use axum::body::Bytes;
use futures::{stream::BoxStream, StreamExt};
use reqwest::{Response, StatusCode};
use std::{error::Error, future::Future, time::Duration};
use tokio::{
	sync::OwnedSemaphorePermit,
	time::{timeout, timeout_at, Instant},
};

/// How many bytes a body may have.
#[derive(Clone, Copy)]
pub enum Size {
	/// Neither fewer nor more.
	Exactly(u64),
	/// No more.
	AtMost(u64),
}

impl Size {
	/// Most bytes.
	pub fn most(self) -> u64 {
		match self {
			Size::Exactly(bytes) | Size::AtMost(bytes) => bytes,
		}
	}
}

/// A body under way.
pub struct Download {
	body: BoxStream<'static, reqwest::Result<Bytes>>,
	size: Size,
	got: u64,
	rate: Rate,
	rate_window: Duration,
	/// When the last piece was handed out.
	handed_out: Instant,
	idle_timeout: Duration,
	end: Instant,
	/// Its place among the fetches from the same origin.
	_turn: Option<OwnedSemaphorePermit>,
}

impl Download {
	/// Waits for the head of an answer and checks it.
	pub async fn begin(
		policy: &Policy,
		answer: impl Future<Output = reqwest::Result<Response>>,
		size: Size,
		turn: Option<OwnedSemaphorePermit>,
	) -> Result<Self, Reason> {
		let end = Instant::now() + policy.total_for(size.most());
		let first_byte = policy.connect_timeout.saturating_add(policy.idle_timeout);
		let response = timeout(first_byte, answer)
			.await
			.map_err(|_| Reason::Timeout("waiting for an answer"))?
			.map_err(transport)?;
		match response.status() {
			StatusCode::OK => {}
			StatusCode::NOT_FOUND => return Err(Reason::NotFound),
			status if status.is_redirection() => return Err(Reason::Redirect(status.as_u16())),
			status => return Err(Reason::Status(status.as_u16())),
		}
		if response.content_length().is_some_and(|length| length > size.most()) {
			return Err(Reason::TooLong { allowed: size.most() });
		}
		Ok(Self {
			body: response.bytes_stream().boxed(),
			size,
			got: 0,
			rate: Rate::new(policy.floor_rate, policy.rate_window),
			rate_window: policy.rate_window,
			handed_out: Instant::now(),
			idle_timeout: policy.idle_timeout,
			end,
			_turn: turn,
		})
	}

	/// The next piece, `None` after the last: then there were as many bytes as there had to be.
	pub async fn next(&mut self) -> Result<Option<Bytes>, Reason> {
		// What this side took to deal with the last piece is not the other's fault.
		self.rate.skip(self.handed_out.elapsed());
		let piece = self.wait().await;
		self.handed_out = Instant::now();
		piece
	}

	async fn wait(&mut self) -> Result<Option<Bytes>, Reason> {
		let idle = Instant::now() + self.idle_timeout;
		loop {
			let until = idle.min(self.end).min(self.rate.next_check());
			let came = timeout_at(until, self.body.next()).await;
			let now = Instant::now();
			match came {
				Ok(Some(chunk)) => {
					let chunk = chunk.map_err(transport)?;
					let length = chunk.len() as u64;
					self.got = self.got.saturating_add(length);
					if self.got > self.size.most() {
						return Err(Reason::TooLong { allowed: self.size.most() });
					}
					self.rate.add(length);
					// What is whole is welcome, however late.
					if self.got < self.size.most() {
						self.check_rate(now)?;
					}
					return Ok(Some(chunk));
				}
				Ok(None) => {
					return match self.size {
						Size::Exactly(expected) if self.got != expected => {
							Err(Reason::TooShort { expected, got: self.got })
						}
						_ => Ok(None),
					}
				}
				Err(_) if now >= self.end => {
					return Err(Reason::Timeout("before all had arrived"));
				}
				Err(_) if now >= idle => return Err(Reason::Timeout("waiting for more")),
				Err(_) => self.check_rate(now)?,
			}
		}
	}

	fn check_rate(&mut self, now: Instant) -> Result<(), Reason> {
		match self.rate.is_too_low(now) {
			true => Err(Reason::TooSlow { floor: self.rate.floor(), window: self.rate_window }),
			false => Ok(()),
		}
	}
}

fn transport(error: reqwest::Error) -> Reason {
	if error.is_timeout() {
		return Reason::Timeout("connecting");
	}
	// The innermost error says what happened; the outer ones repeat the URL.
	let error = error.without_url();
	let mut inner: &dyn Error = &error;
	while let Some(source) = inner.source() {
		inner = source;
	}
	Reason::Connection(inner.to_string())
}
