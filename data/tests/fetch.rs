//! The fetcher against honest and dishonest servers.

mod common;

use assay_compute::{tensor_root, Dtype, Root, Shape};
use assay_data::{
	fetch::{Reason, Resolver, Retry},
	FetchError, Fetcher, Limits, Policy, Store, Tasks,
};
use common::{local, program, raw, serve, store, tensor};
use futures::future::BoxFuture;
use std::{
	io,
	net::IpAddr,
	sync::{
		atomic::{AtomicUsize, Ordering},
		Arc,
	},
	time::{Duration, Instant},
};

const SHAPE: Shape = Shape::new(Dtype::I8, 4, 8);
const ENDLESS: u64 = 10_000_000_000;

fn reason<T: std::fmt::Debug>(result: Result<T, FetchError>) -> Reason {
	result.unwrap_err().reason
}

/// The outcome of fetching a 32-byte tensor from a server that answers with these bytes.
async fn answer(head: &str, body: &[u8]) -> Reason {
	let (address, _) = raw(head, body.to_vec(), body.len() as u64, Duration::ZERO).await;
	let fetcher = Fetcher::new(local());
	reason(fetcher.tensor(&format!("http://{address}"), &[0; 32], SHAPE).await)
}

fn ok(length: u64) -> String {
	format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_fetched_from_an_honest_server() {
	let (_dir, store) = store();
	let (program, weights) = program();
	let large = tensor(900, 1000, 4);
	let tasks: Tasks = vec![vec![[1; 32]], vec![[2; 32]]];
	let root = store.put_tensor(&large).unwrap();
	let small = store.put_tensor(&weights).unwrap();
	let id = store.put_program(&program.encode()).unwrap();
	let trace = store.put_trace(&[root, small]).unwrap();
	let tasks_id = store.put_tasks(&tasks).unwrap();
	let base = serve(store, Limits::default()).await;
	let fetcher = Fetcher::new(local());
	for base in [base.clone(), format!("{base}/")] {
		assert_eq!(fetcher.tensor(&base, &root, large.shape()).await.unwrap(), large);
		assert_eq!(fetcher.row(&base, &root, large.shape(), 899).await.unwrap(), large.row(899));
		assert_eq!(fetcher.program(&base, &id).await.unwrap().id(), id);
		assert_eq!(fetcher.trace(&base, &trace, 2).await.unwrap(), [root, small]);
		assert_eq!(fetcher.tasks(&base, &tasks_id, 2, 1).await.unwrap(), tasks);
	}
	assert!(fetcher.bytes_received() > 2 * 900_000);

	// Declared otherwise than it is.
	let wider = Shape::new(Dtype::I8, 900, 1001);
	let taller = Shape::new(Dtype::I8, 1000, 900);
	let narrower = Shape::new(Dtype::I8, 900, 999);
	let too_short = Reason::TooShort { expected: 900_900, got: 900_000 };
	let too_long = Reason::TooLong { allowed: 899_100 };
	assert_eq!(reason(fetcher.tensor(&base, &root, wider).await), too_short);
	assert_eq!(reason(fetcher.tensor(&base, &root, narrower).await), too_long);
	assert_eq!(reason(fetcher.tensor(&base, &root, taller).await), Reason::WrongBytes);
	assert_eq!(reason(fetcher.row(&base, &root, taller, 1).await), Reason::WrongBytes);
	let no_row = Reason::BadRequest("there is no such row");
	assert_eq!(reason(fetcher.row(&base, &root, large.shape(), 900).await), no_row);
	assert_eq!(
		reason(fetcher.trace(&base, &trace, 3).await),
		Reason::TooShort { expected: 96, got: 64 }
	);
	assert_eq!(reason(fetcher.trace(&base, &trace, 1).await), Reason::TooLong { allowed: 32 });
	assert_eq!(reason(fetcher.tasks(&base, &tasks_id, 3, 1).await), Reason::WrongBytes);
	assert_eq!(reason(fetcher.tensor(&base, &[9; 32], SHAPE).await), Reason::NotFound);
	assert_eq!(reason(fetcher.program(&base, &root).await), Reason::NotFound);
	let error = fetcher.tensor(&base, &[9; 32], SHAPE).await.unwrap_err().to_string();
	assert!(error.contains(&base) && error.contains(&"09".repeat(32)), "{error}");
}

#[tokio::test]
async fn wrong_bytes_are_refused() {
	assert_eq!(answer(&ok(32), &[1; 32]).await, Reason::WrongBytes);
	let short = Reason::TooShort { expected: 32, got: 31 };
	assert_eq!(answer(&ok(31), &[1; 31]).await, short);
	assert!(matches!(answer(&ok(32), &[1; 31]).await, Reason::Connection(_)));
	assert_eq!(answer(&ok(33), &[1; 33]).await, Reason::TooLong { allowed: 32 });
	assert_eq!(
		answer("HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n", &[]).await,
		Reason::Status(500)
	);
	assert_eq!(
		answer("HTTP/1.1 206 Part\r\ncontent-length: 32\r\n\r\n", &[1; 32]).await,
		Reason::Status(206)
	);
	assert!(matches!(answer("nonsense\r\n\r\n", &[]).await, Reason::Connection(_)));

	// The right root, but a row that is not the tensor's, or the answer to another question.
	let four = tensor(4, 8, 3);
	let root = tensor_root(&four);
	let dir = tempfile::tempdir().unwrap();
	let other = Store::open(dir.path()).unwrap();
	other.put_tensor(&four).unwrap();
	let row = codec::Encode::encode(&other.row(&root, 2).unwrap().unwrap());
	let (address, _) =
		raw(&ok(row.len() as u64), row.clone(), row.len() as u64, Duration::ZERO).await;
	let fetcher = Fetcher::new(local());
	let base = format!("http://{address}");
	assert!(fetcher.row(&base, &root, SHAPE, 2).await.is_ok());
	assert_eq!(reason(fetcher.row(&base, &root, SHAPE, 1).await), Reason::WrongBytes);
	assert!(matches!(reason(fetcher.program(&base, &root).await), Reason::Malformed(_)));
	assert!(matches!(reason(fetcher.tasks(&base, &root, 9, 9).await), Reason::Malformed(_)));
}

#[tokio::test]
async fn redirects_are_not_followed() {
	for status in [301, 302, 303, 307, 308] {
		let (target, reached) = raw(&ok(32), vec![1; 32], 32, Duration::ZERO).await;
		let head = format!(
			"HTTP/1.1 {status} Moved\r\nlocation: http://{target}/\r\ncontent-length: 0\r\n\r\n"
		);
		assert_eq!(answer(&head, &[]).await, Reason::Redirect(status));
		assert_eq!(reached.load(Ordering::Relaxed), 0);
	}
}

#[tokio::test]
async fn ten_gigabytes_are_cut_early() {
	let fetcher = Fetcher::new(local());
	let endless =
		|head: String| async move { raw(&head, vec![7; 65_536], ENDLESS, Duration::ZERO).await };
	// Announced, unannounced, and in chunks (one chunk of the whole length).
	let heads = [
		ok(ENDLESS),
		"HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n".to_owned(),
		format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{ENDLESS:x}\r\n"),
	];
	for head in heads {
		let (address, sent) = endless(head).await;
		let base = format!("http://{address}");
		let begun = Instant::now();
		let too_long = Reason::TooLong { allowed: 32 };
		assert_eq!(reason(fetcher.tensor(&base, &[0; 32], SHAPE).await), too_long);
		assert!(matches!(reason(fetcher.program(&base, &[0; 32]).await), Reason::TooLong { .. }));
		assert!(matches!(
			reason(fetcher.row(&base, &[0; 32], SHAPE, 0).await),
			Reason::TooLong { .. }
		));
		assert!(matches!(reason(fetcher.trace(&base, &[0; 32], 9).await), Reason::TooLong { .. }));
		assert!(matches!(
			reason(fetcher.tasks(&base, &[0; 32], 9, 9).await),
			Reason::TooLong { .. }
		));
		assert!(begun.elapsed() < Duration::from_secs(5));
		tokio::time::sleep(Duration::from_millis(100)).await;
		// What the kernel's buffers take, not what was on offer.
		assert!(sent.load(Ordering::Relaxed) < 100_000_000);
	}
	// Endless headers.
	let (address, sent) = endless("HTTP/1.1 200 OK\r\nx: ".to_owned()).await;
	let base = format!("http://{address}");
	assert!(matches!(
		reason(fetcher.tensor(&base, &[0; 32], SHAPE).await),
		Reason::Connection(_) | Reason::Timeout(_)
	));
	assert!(sent.load(Ordering::Relaxed) < 100_000_000);
}

#[tokio::test]
async fn what_is_too_large_is_not_even_asked_for() {
	let fetcher = Fetcher::new(Policy { max_tensor_bytes: 31, ..local() });
	let nobody = "http://127.0.0.1:9";
	let too_large = Reason::TooLarge { declared: 32, allowed: 31 };
	assert_eq!(reason(fetcher.tensor(nobody, &[0; 32], SHAPE).await), too_large);
	assert!(!too_large.is_worth_another_try());
	let huge = Shape::new(Dtype::I32, u32::MAX, u32::MAX);
	assert!(matches!(reason(fetcher.tensor(nobody, &[0; 32], huge).await), Reason::BadRequest(_)));
	assert!(matches!(reason(fetcher.row(nobody, &[0; 32], huge, 0).await), Reason::BadRequest(_)));
	assert!(matches!(reason(fetcher.trace(nobody, &[0; 32], 0).await), Reason::BadRequest(_)));
	assert!(matches!(
		reason(fetcher.tasks(nobody, &[0; 32], u32::MAX, u32::MAX).await),
		Reason::TooLarge { .. }
	));
}

#[tokio::test]
async fn slow_servers_time_out() {
	let fetcher = Fetcher::new(local());
	// Nothing at all.
	let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	let base = format!("http://{}", silent.local_addr().unwrap());
	let quick = Fetcher::new(Policy { connect_timeout: Duration::from_millis(200), ..local() });
	assert_eq!(
		reason(quick.tensor(&base, &[0; 32], SHAPE).await),
		Reason::Timeout("waiting for an answer")
	);
	// A pause in the middle.
	let (address, _) = raw(&ok(32), vec![1], 32, Duration::from_secs(5)).await;
	assert_eq!(
		reason(fetcher.tensor(&format!("http://{address}"), &[0; 32], SHAPE).await),
		Reason::Timeout("waiting for more")
	);
	// A byte now and then, never a pause.
	let (address, _) = raw(&ok(32), vec![1], 32, Duration::from_millis(100)).await;
	let begun = Instant::now();
	assert_eq!(
		reason(fetcher.tensor(&format!("http://{address}"), &[0; 32], SHAPE).await),
		Reason::Timeout("before all had arrived")
	);
	assert!(begun.elapsed() < Duration::from_millis(2500));
}

#[tokio::test]
async fn bodies_that_trickle_are_given_up_long_before_their_time() {
	let policy = Policy {
		floor_rate: 1_000,
		rate_window: Duration::from_millis(500),
		total_timeout: Duration::from_secs(60),
		..local()
	};
	let fetcher = Fetcher::new(policy);
	let shape = Shape::new(Dtype::I8, 1_000, 10);
	let too_slow = Reason::TooSlow { floor: 500, window: Duration::from_millis(500) };
	assert!(too_slow.is_worth_another_try());
	let trickle = |piece| async move {
		raw(&ok(10_000), vec![1; piece], 10_000, Duration::from_millis(50)).await
	};
	// From the beginning, and after a quick beginning.
	let (address, _) = trickle(10).await;
	let begun = Instant::now();
	let base = format!("http://{address}");
	assert_eq!(reason(fetcher.tensor(&base, &[0; 32], shape).await), too_slow);
	assert!(begun.elapsed() < Duration::from_secs(2));
	let head = ok(10_000) + &"x".repeat(5_000);
	let (address, _) = raw(&head, vec![1; 10], 5_000, Duration::from_millis(50)).await;
	let begun = Instant::now();
	let base = format!("http://{address}");
	assert_eq!(reason(fetcher.tensor(&base, &[0; 32], shape).await), too_slow);
	assert!(begun.elapsed() < Duration::from_secs(3));
	// Just quick enough all the way.
	let (address, _) = trickle(200).await;
	let base = format!("http://{address}");
	assert_eq!(reason(fetcher.tensor(&base, &[0; 32], shape).await), Reason::WrongBytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_origin_gets_its_share_of_fetches_and_holds_up_no_other() {
	let (_dir, store) = store();
	let four = tensor(4, 8, 3);
	let root = store.put_tensor(&four).unwrap();
	let honest = serve(store, Limits::default()).await;
	let (reached, (slow, listener)) = (Arc::new(AtomicUsize::new(0)), silent().await);
	let counter = reached.clone();
	tokio::spawn(async move {
		let mut open = Vec::new();
		while let Ok((stream, _)) = listener.accept().await {
			counter.fetch_add(1, Ordering::Relaxed);
			open.push(stream);
		}
	});
	let policy = Policy { per_origin: 3, idle_timeout: Duration::from_secs(60), ..local() };
	let fetcher = Fetcher::new(policy);
	let stuck: Vec<_> = (0..20u8)
		.map(|index| {
			let (fetcher, base) = (fetcher.clone(), slow.clone());
			tokio::spawn(async move { fetcher.tensor(&base, &[index; 32], SHAPE).await })
		})
		.collect();
	tokio::time::sleep(Duration::from_millis(300)).await;
	assert_eq!(reached.load(Ordering::Relaxed), 3);
	for _ in 0..5 {
		assert_eq!(fetcher.tensor(&honest, &root, SHAPE).await.unwrap(), four);
	}
	// Those that are given up pass their turn on.
	stuck.iter().for_each(|fetch| fetch.abort());
	let again = tokio::spawn(async move { fetcher.tensor(&slow, &[9; 32], SHAPE).await });
	tokio::time::sleep(Duration::from_millis(300)).await;
	assert!(reached.load(Ordering::Relaxed) > 3);
	again.abort();
}

/// A server that takes connections and says nothing.
async fn silent() -> (String, tokio::net::TcpListener) {
	let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
	(format!("http://{}", listener.local_addr().unwrap()), listener)
}

#[tokio::test(flavor = "multi_thread")]
async fn tensors_go_to_the_disk_as_they_come_and_only_if_they_are_right() {
	let (_dir, theirs) = store();
	let (_own_dir, own) = store();
	let large = tensor(900, 5_000, 4);
	let root = theirs.put_tensor(&large).unwrap();
	let base = serve(theirs, Limits::default()).await;
	let fetcher = Fetcher::new(local());
	fetcher.tensor_into(&base, &root, large.shape(), &own).await.unwrap();
	assert_eq!(own.tensor(&root).unwrap().unwrap(), large);

	let leftovers = || std::fs::read_dir(own.dir().join("tmp")).unwrap().count();
	let (wrong, length) = (vec![1; 50_000], large.shape().bytes());
	let (address, _) = raw(&ok(length), wrong.clone(), length, Duration::ZERO).await;
	let bad = format!("http://{address}");
	let result = fetcher.tensor_into(&bad, &[7; 32], large.shape(), &own).await;
	assert_eq!(reason(result), Reason::WrongBytes);
	// Cut short, and given up in the middle.
	let (address, _) = raw(&ok(length), wrong.clone(), length / 2, Duration::ZERO).await;
	let bad = format!("http://{address}");
	let result = fetcher.tensor_into(&bad, &[7; 32], large.shape(), &own).await;
	assert!(matches!(reason(result), Reason::Connection(_)));
	let (address, _) = raw(&ok(length), wrong, length, Duration::from_millis(100)).await;
	let bad = format!("http://{address}");
	let fetch = fetcher.tensor_into(&bad, &[7; 32], large.shape(), &own);
	assert!(tokio::time::timeout(Duration::from_millis(250), fetch).await.is_err());
	tokio::time::sleep(Duration::from_millis(100)).await;
	assert_eq!((own.shape(&[7; 32]).unwrap(), leftovers()), (None, 0));

	// Without a folder to write to it is nobody else's fault.
	std::fs::remove_dir(own.dir().join("tmp")).unwrap();
	let result = fetcher.tensor_into(&base, &root, large.shape(), &own).await;
	let unkept = reason(result);
	assert!(matches!(unkept, Reason::Unkept(_)) && unkept.is_ours(), "{unkept}");
}

/// Pieces come to their end only if they are the tensor, and never are more than its shape has.
#[tokio::test(flavor = "multi_thread")]
async fn pieces_of_a_tensor_end_well_only_if_they_are_right() {
	async fn all(fetcher: &Fetcher, base: &str, root: &Root, shape: Shape) -> (Vec<u8>, Reason) {
		let mut pieces = fetcher.tensor_pieces(base, root, shape).await.unwrap();
		let mut got = Vec::new();
		loop {
			match pieces.next().await {
				Ok(Some(piece)) => got.extend_from_slice(&piece),
				Ok(None) => {
					// It stays at its end.
					assert_eq!(pieces.next().await, Ok(None));
					return (got, Reason::NotFound);
				}
				Err(error) => return (got, error.reason),
			}
		}
	}
	let (_dir, theirs) = store();
	let large = tensor(900, 5_000, 4);
	let (root, shape) = (theirs.put_tensor(&large).unwrap(), large.shape());
	let base = serve(theirs, Limits::default()).await;
	let fetcher = Fetcher::new(local());
	let (got, end) = all(&fetcher, &base, &root, shape).await;
	assert_eq!((&got[..], end), (large.data(), Reason::NotFound));

	let mut wrong = large.data().to_vec();
	*wrong.last_mut().unwrap() ^= 1;
	let length = shape.bytes();
	let bad = |head: String, body: Vec<u8>, sent: u64| async move {
		let (address, _) = raw(&head, body, sent, Duration::ZERO).await;
		format!("http://{address}")
	};
	let flipped = bad(ok(length), wrong.clone(), length).await;
	assert_eq!(all(&fetcher, &flipped, &root, shape).await, (wrong.clone(), Reason::WrongBytes));
	let cut = bad(ok(length), wrong.clone(), length / 2).await;
	assert!(matches!(all(&fetcher, &cut, &root, shape).await.1, Reason::Connection(_)));
	// Without a length that gives it away at once.
	let endless = bad("HTTP/1.1 200 OK\r\n\r\n".into(), wrong, ENDLESS).await;
	let (got, end) = all(&fetcher, &endless, &root, shape).await;
	assert_eq!(end, Reason::TooLong { allowed: length });
	assert!(got.len() as u64 <= length, "{} bytes", got.len());
	let small = Fetcher::new(Policy { max_tensor_bytes: length - 1, ..local() });
	let refused = small.tensor_pieces(&base, &root, shape).await;
	assert_eq!(
		refused.err().map(|error| error.reason),
		Some(Reason::TooLarge { declared: length, allowed: length - 1 })
	);
}

#[tokio::test]
async fn only_plain_base_urls_are_used() {
	let fetcher = Fetcher::new(local());
	let bad = [
		"",
		"127.0.0.1",
		"ftp://127.0.0.1/",
		"file:///etc/passwd",
		"http://",
		"http://user@127.0.0.1/",
		"http://user:word@127.0.0.1/",
		"http://127.0.0.1/?a=b",
		"http://127.0.0.1/#a",
		"http://[::1",
		"http://127.0.0.1:99999/",
		"http://\u{0}/",
	];
	for base in bad {
		let found = reason(fetcher.tensor(base, &[0; 32], SHAPE).await);
		assert!(matches!(found, Reason::BadUrl(_)), "{base}: {found}");
		assert!(!found.is_worth_another_try());
	}
	let long = format!("http://a/{}", "a".repeat(600));
	let error = fetcher.tensor(&long, &[0; 32], SHAPE).await.unwrap_err();
	assert!(matches!(error.reason, Reason::BadUrl(_)) && error.url.len() < 200);
}

#[tokio::test]
async fn special_addresses_are_forbidden_however_they_are_written() {
	let fetcher = Fetcher::new(Policy { allow_local: false, ..local() });
	let bases = [
		"http://127.0.0.1",
		"http://127.1",
		"http://2130706433",
		"http://0x7f000001",
		"http://0177.0.0.1",
		"http://0",
		"http://10.0.0.1",
		"http://169.254.169.254",
		"http://100.64.0.1",
		"http://[::1]",
		"http://[::]",
		"http://[::ffff:10.0.0.1]",
		"http://[::7f00:1]",
		"http://[64:ff9b::a00:1]",
		"http://[2002:a00:1::]",
		"http://[fe80::1]",
		"http://[fd00::1]",
		"https://127.0.0.1",
	];
	for base in bases {
		let found = reason(fetcher.tensor(base, &[0; 32], SHAPE).await);
		assert!(matches!(found, Reason::ForbiddenAddress { .. }), "{base}: {found}");
		assert!(!found.is_worth_another_try());
	}
	let found = reason(fetcher.tensor("http://localhost", &[0; 32], SHAPE).await);
	assert!(matches!(found, Reason::ForbiddenAddress { .. }), "{found}");
	// Behind a proxy, too; the proxy is not even reached.
	let policy = Policy { allow_local: false, proxy: Some("http://127.0.0.1:9".into()), ..local() };
	let fetcher = Fetcher::new(policy);
	for base in bases.into_iter().chain(["http://localhost", "http://a.localhost."]) {
		let found = reason(fetcher.tensor(base, &[0; 32], SHAPE).await);
		assert!(matches!(found, Reason::ForbiddenAddress { .. }), "{base}: {found}");
	}
}

/// Answers each question with the next list, and the last one for ever.
struct Scripted {
	answers: Vec<Vec<&'static str>>,
	asked: Arc<AtomicUsize>,
}

impl Resolver for Scripted {
	fn resolve(&self, _: String) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
		let turn = self.asked.fetch_add(1, Ordering::Relaxed).min(self.answers.len() - 1);
		let answer = self.answers[turn].iter().map(|text| text.parse().unwrap()).collect();
		Box::pin(async move { Ok(answer) })
	}
}

fn scripted(policy: Policy, answers: &[&[&'static str]]) -> (Fetcher, Arc<AtomicUsize>) {
	let asked = Arc::new(AtomicUsize::new(0));
	let answers = answers.iter().map(|answer| answer.to_vec()).collect();
	let resolver = Scripted { answers, asked: asked.clone() };
	(Fetcher::with_resolver(policy, resolver), asked)
}

#[tokio::test]
async fn a_name_with_one_forbidden_address_is_refused() {
	let strict = Policy { allow_local: false, ..local() };
	let answers: [&[&str]; 4] = [
		&["127.0.0.1"],
		&["1.1.1.1", "10.0.0.1"],
		&["2606:4700::1111", "1.1.1.1", "::ffff:127.0.0.1"],
		&["fd00::1", "1.1.1.1"],
	];
	for answer in answers {
		let (fetcher, _) = scripted(strict.clone(), &[answer]);
		let found = reason(fetcher.tensor("http://worker.example", &[0; 32], SHAPE).await);
		assert!(matches!(found, Reason::ForbiddenAddress { .. }), "{answer:?}: {found}");
	}
	// Even among so many that it would never be tried.
	let mut many = vec!["1.1.1.1"; 40];
	many.push("192.168.0.1");
	let (fetcher, _) = scripted(strict.clone(), &[&many]);
	let found = reason(fetcher.tensor("http://worker.example", &[0; 32], SHAPE).await);
	assert!(matches!(found, Reason::ForbiddenAddress { .. }));
	let (fetcher, _) = scripted(strict, &[&[]]);
	let found = reason(fetcher.tensor("http://worker.example", &[0; 32], SHAPE).await);
	assert!(matches!(found, Reason::Resolve(_)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_resolved_once_and_its_addresses_pinned() {
	let (_dir, store) = store();
	let four = tensor(4, 8, 3);
	let root = store.put_tensor(&four).unwrap();
	let base = serve(store, Limits::default()).await;
	let named = base.replace("127.0.0.1", "worker.example");
	// Asked again, the name would lead to an address where nobody answers.
	let (fetcher, asked) = scripted(local(), &[&["127.0.0.1"], &["127.0.0.2"]]);
	let fetches = (0..8).map(|_| fetcher.tensor(&named, &root, SHAPE));
	for result in futures::future::join_all(fetches).await {
		assert_eq!(result.unwrap(), four);
	}
	assert_eq!(asked.load(Ordering::Relaxed), 1);

	// Once the pin has run out, the new addresses are checked like the first.
	let policy = Policy { pin_for: Duration::ZERO, ..local() };
	let (fetcher, asked) = scripted(policy, &[&["127.0.0.1"], &["127.0.0.2"]]);
	assert!(fetcher.tensor(&named, &root, SHAPE).await.is_ok());
	tokio::time::sleep(Duration::from_millis(5)).await;
	assert!(matches!(
		reason(fetcher.tensor(&named, &root, SHAPE).await),
		Reason::Connection(_) | Reason::Timeout(_)
	));
	assert_eq!(asked.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn requests_go_through_the_proxy() {
	let four = tensor(4, 8, 3);
	let root = tensor_root(&four);
	let (proxy, sent) = raw(&ok(32), four.data().to_vec(), 32, Duration::ZERO).await;
	let policy = Policy { allow_local: false, proxy: Some(format!("http://{proxy}")), ..local() };
	let (fetcher, asked) = scripted(policy, &[&["1.1.1.1"]]);
	let found = fetcher.tensor("http://worker.example", &root, SHAPE).await;
	assert_eq!(found.unwrap(), four);
	assert_eq!((sent.load(Ordering::Relaxed), asked.load(Ordering::Relaxed)), (32, 0));
}

#[tokio::test]
async fn retries_end_at_success_at_the_limit_and_at_the_deadline() {
	let retry = Retry { attempts: 3, pause: Duration::from_millis(10), insist: false };
	let failure = |reason| FetchError { url: "u".into(), reason };
	let later = || tokio::time::Instant::now() + Duration::from_secs(60);
	let tries = AtomicUsize::new(0);
	let third = || async {
		match tries.fetch_add(1, Ordering::Relaxed) {
			2 => Ok(5),
			_ => Err(failure(Reason::NotFound)),
		}
	};
	assert_eq!(retry.run(later(), third).await, Ok(5));

	let tries = AtomicUsize::new(0);
	let never = |reason: Reason| {
		tries.fetch_add(1, Ordering::Relaxed);
		async { Err::<(), _>(failure(reason)) }
	};
	let gone = Err(Some(failure(Reason::NotFound)));
	assert_eq!(retry.run(later(), || never(Reason::NotFound)).await, gone);
	assert_eq!(tries.swap(0, Ordering::Relaxed), 3);
	let bad = Reason::BadUrl("x");
	assert_eq!(retry.run(later(), || never(bad.clone())).await, Err(Some(failure(bad.clone()))));
	assert_eq!(tries.swap(0, Ordering::Relaxed), 1);

	let soon = tokio::time::Instant::now() + Duration::from_millis(50);
	let stuck = || std::future::pending::<Result<(), FetchError>>();
	assert_eq!(retry.run(soon, stuck).await, Err(None));
}

/// Who has no connection to spare is asked until the deadline, who has not got it is not.
#[tokio::test]
async fn tries_that_find_the_other_side_busy_need_not_count() {
	let retry = Retry { attempts: 2, pause: Duration::from_millis(2), insist: true };
	let failure = |reason| FetchError { url: "u".into(), reason };
	let later = || tokio::time::Instant::now() + Duration::from_secs(60);
	let busy = [Reason::Connection("reset".into()), Reason::Status(503)];
	let tries = AtomicUsize::new(0);
	let tenth = || async {
		match tries.fetch_add(1, Ordering::Relaxed) {
			9 => Ok(5),
			nth => Err(failure(busy[nth % 2].clone())),
		}
	};
	assert_eq!(retry.run(later(), tenth).await, Ok(5));

	tries.store(0, Ordering::Relaxed);
	let begun = Instant::now();
	let always = |reason: Reason| {
		tries.fetch_add(1, Ordering::Relaxed);
		async { Err::<(), _>(failure(reason)) }
	};
	let soon = tokio::time::Instant::now() + Duration::from_millis(200);
	let end = retry.run(soon, || always(busy[0].clone())).await;
	assert_eq!(end, Err(Some(failure(busy[0].clone()))));
	assert!(begun.elapsed() > Duration::from_millis(150));
	// The pauses grow no longer than eight times the first.
	assert!(tries.swap(0, Ordering::Relaxed) >= 10);

	let gone = retry.run(later(), || always(Reason::NotFound)).await;
	assert_eq!(gone, Err(Some(failure(Reason::NotFound))));
	assert_eq!(tries.swap(0, Ordering::Relaxed), 2);
	// Where it is not asked for, they count.
	let retry = Retry { insist: false, ..retry };
	let gone = retry.run(later(), || always(busy[0].clone())).await;
	assert_eq!(gone, Err(Some(failure(busy[0].clone()))));
	assert_eq!(tries.load(Ordering::Relaxed), 2);
}
