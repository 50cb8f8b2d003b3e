//! A router that tells its connection's seat while a request is under way, and its requests whose they
//! are.

use super::{
	client::Client,
	seats::{Busy, Seat},
};
use axum::{
	body::{Body, Bytes},
	extract::Request,
	http::Response,
	Router,
};
use futures::{future::BoxFuture, FutureExt};
use hyper::{
	body::{Body as HttpBody, Frame, Incoming, SizeHint},
	service::Service,
};
use hyper_util::service::TowerToHyperService;
use std::{
	convert::Infallible,
	pin::Pin,
	sync::Arc,
	task::{Context, Poll},
};

/// Serves one connection.
pub struct Watched {
	router: TowerToHyperService<Router>,
	client: Client,
	seat: Arc<Seat>,
}

impl Watched {
	/// Answers by a router, for this client's connection with this seat.
	pub fn new(router: Router, client: Client, seat: Arc<Seat>) -> Self {
		Self { router: TowerToHyperService::new(router), client, seat }
	}
}

impl Service<Request<Incoming>> for Watched {
	type Response = Response<Answer>;
	type Error = Infallible;
	type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

	fn call(&self, mut request: Request<Incoming>) -> Self::Future {
		let busy = self.seat.busy();
		request.extensions_mut().insert(self.client);
		let response = self.router.call(request);
		async move { Ok(response.await?.map(|body| Answer { body, _busy: busy })) }.boxed()
	}
}

/// A response's body: the request is under way for as long as there is one.
pub struct Answer {
	body: Body,
	_busy: Busy,
}

impl HttpBody for Answer {
	type Data = Bytes;
	type Error = axum::Error;

	fn poll_frame(
		mut self: Pin<&mut Self>,
		cx: &mut Context<'_>,
	) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
		Pin::new(&mut self.body).poll_frame(cx)
	}

	fn is_end_stream(&self) -> bool {
		self.body.is_end_stream()
	}

	fn size_hint(&self) -> SizeHint {
		self.body.size_hint()
	}
}
