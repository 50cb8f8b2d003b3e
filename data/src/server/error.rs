//! Errors as JSON.

use axum::{
	http::{header, StatusCode},
	response::{IntoResponse, Response},
};

/// An HTTP error with a JSON body, `{"error": "…"}`.
#[derive(Debug)]
pub struct HttpError {
	/// The status.
	pub status: StatusCode,
	/// What went wrong.
	pub message: String,
}

impl HttpError {
	/// An error of that status.
	pub fn new(status: StatusCode, message: impl Into<String>) -> Self {
		Self { status, message: message.into() }
	}
}

impl IntoResponse for HttpError {
	fn into_response(self) -> Response {
		let body = serde_json::json!({ "error": self.message }).to_string();
		(self.status, [(header::CONTENT_TYPE, "application/json")], body).into_response()
	}
}
