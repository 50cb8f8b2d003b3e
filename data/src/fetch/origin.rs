//! From a base URL to a client that reaches only addresses that were checked.

use super::{address::forbidden, policy::Policy, Reason};
use futures::future::BoxFuture;
use reqwest::{
	dns::{Addrs, Name, Resolve, Resolving},
	redirect, Client, Proxy,
};
use std::{
	io,
	net::{IpAddr, SocketAddr},
	sync::Arc,
};
use tokio::time::timeout;
use url::{Host, Url};

/// Longest base URL.
const MAX_URL_BYTES: usize = 512;
/// Most addresses of one name that are tried.
const MAX_ADDRESSES: usize = 16;

/// Turns names into addresses.
pub trait Resolver: Send + Sync + 'static {
	/// All addresses of a name.
	fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The operating system's resolver.
pub struct SystemResolver;

impl Resolver for SystemResolver {
	fn resolve(&self, name: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
		Box::pin(async move {
			Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
		})
	}
}

/// A checked base URL: http or https, a host, perhaps a port and a path, nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
	url: Url,
}

impl Base {
	pub fn parse(text: &str) -> Result<Self, Reason> {
		let bad = |what| Err(Reason::BadUrl(what));
		if text.len() > MAX_URL_BYTES {
			return bad("it is too long");
		}
		let Ok(url) = Url::parse(text) else { return bad("it cannot be parsed") };
		if !matches!(url.scheme(), "http" | "https") {
			return bad("neither http nor https");
		}
		if !url.username().is_empty() || url.password().is_some() {
			return bad("it carries credentials");
		}
		if url.query().is_some() || url.fragment().is_some() {
			return bad("it carries a query or a fragment");
		}
		if url.host().is_none() {
			return bad("it has no host");
		}
		Ok(Self { url })
	}

	/// Scheme, host and port: what is resolved and pinned together.
	pub fn origin(&self) -> String {
		self.url.origin().ascii_serialization()
	}

	/// A URL below the base.
	pub fn join(&self, path: &str) -> String {
		format!("{}/{path}", self.url.as_str().trim_end_matches('/'))
	}

	/// Resolves the host once, checks every address, and makes a client bound to them.
	pub async fn pin(&self, policy: &Policy, resolver: &dyn Resolver) -> Result<Client, Reason> {
		let client = Client::builder()
			.redirect(redirect::Policy::none())
			.connect_timeout(policy.connect_timeout)
			.referer(false)
			.user_agent(concat!("assay/", env!("CARGO_PKG_VERSION")));
		let client = match &policy.proxy {
			Some(proxy) => {
				self.check_unresolved(policy)?;
				client.proxy(Proxy::all(proxy).map_err(setup)?)
			}
			None => {
				let addresses = self.resolve(policy, resolver).await?;
				client.no_proxy().dns_resolver(Arc::new(Pinned(addresses)))
			}
		};
		client.build().map_err(setup)
	}

	async fn resolve(
		&self,
		policy: &Policy,
		resolver: &dyn Resolver,
	) -> Result<Vec<IpAddr>, Reason> {
		let mut addresses = match self.url.host() {
			Some(Host::Ipv4(address)) => vec![address.into()],
			Some(Host::Ipv6(address)) => vec![address.into()],
			Some(Host::Domain(name)) => {
				match timeout(policy.resolve_timeout, resolver.resolve(name.to_owned())).await {
					Ok(Ok(addresses)) => addresses,
					Ok(Err(error)) => return Err(Reason::Resolve(error.to_string())),
					Err(_) => return Err(Reason::Timeout("while resolving the name")),
				}
			}
			None => return Err(Reason::BadUrl("it has no host")),
		};
		// Every address is checked, not just those that will be tried.
		for address in &addresses {
			check(*address, policy)?;
		}
		addresses.truncate(MAX_ADDRESSES);
		if addresses.is_empty() {
			return Err(Reason::Resolve("it has no addresses".into()));
		}
		Ok(addresses)
	}

	/// What can be checked of a host that a proxy will resolve.
	fn check_unresolved(&self, policy: &Policy) -> Result<(), Reason> {
		match self.url.host() {
			Some(Host::Ipv4(address)) => check(address.into(), policy),
			Some(Host::Ipv6(address)) => check(address.into(), policy),
			Some(Host::Domain(name)) => {
				let name = name.trim_end_matches('.');
				if !policy.allow_local && (name == "localhost" || name.ends_with(".localhost")) {
					return check(IpAddr::from([127, 0, 0, 1]), policy);
				}
				Ok(())
			}
			None => Err(Reason::BadUrl("it has no host")),
		}
	}
}

fn check(address: IpAddr, policy: &Policy) -> Result<(), Reason> {
	match forbidden(address) {
		Some(range) if !policy.allow_local => Err(Reason::ForbiddenAddress { address, range }),
		_ => Ok(()),
	}
}

fn setup(error: reqwest::Error) -> Reason {
	Reason::Setup(error.to_string())
}

/// Gives the checked addresses whatever is asked.
struct Pinned(Vec<IpAddr>);

impl Resolve for Pinned {
	fn resolve(&self, _: Name) -> Resolving {
		// Port 0 stands for the URL's own.
		let addresses: Vec<_> = self.0.iter().map(|ip| SocketAddr::new(*ip, 0)).collect();
		let addresses: Addrs = Box::new(addresses.into_iter());
		Box::pin(async move { Ok(addresses) })
	}
}
