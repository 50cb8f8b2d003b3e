//! Audits without a service, for whoever wants to know.

use crate::{audit::Auditing, watch::Watch, Config};
use assay_primitives::auditor::{AuditReply, AuditRequest};
use std::sync::Arc;

/// An auditor that is asked for one audit at a time. It keeps constants from one to the next.
pub struct Once(Auditing);

impl Once {
	/// One with these settings.
	pub fn new(config: Config) -> Self {
		Self(Auditing::new(config, None))
	}

	/// Audits one task with all that the settings allow, and comes back with what was found. The
	/// request's blocks do not matter: it may take [`Config::audit_time`]. Where something has to be
	/// opened on the chain, ask again with the answer.
	pub async fn audit(&self, request: AuditRequest) -> AuditReply {
		let time = self.0.config.audit_time;
		let watch = Arc::new(Watch::new(time, time, time));
		self.0.run(request, watch).await.unwrap_or(AuditReply::Expired)
	}
}

/// Audits one task, as [`Once::audit`].
pub async fn audit_once(config: Config, request: AuditRequest) -> AuditReply {
	Once::new(config).audit(request).await
}
