//! One audit without a service, for whoever wants to know.

use crate::{audit::Auditing, watch::Watch, Config};
use assay_primitives::auditor::{AuditReply, AuditRequest};
use std::sync::Arc;

/// Audits one task with all that the settings allow, and comes back with what was found. The
/// request's blocks do not matter: it may take [`Config::audit_time`].
pub async fn audit_once(config: Config, request: AuditRequest) -> AuditReply {
	let time = config.audit_time;
	let watch = Arc::new(Watch::new(time, time, time));
	let reply = Auditing::new(config).run(request, watch).await;
	reply.unwrap_or(AuditReply::Expired)
}
