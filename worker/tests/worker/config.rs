//! Files and flags.

use assay_worker::{
	cli::{Cli, Command},
	config::{Config, ConfigError, File, KeySource, EXAMPLE},
};
use clap::Parser;
use std::time::Duration;

fn load(text: &str) -> Result<Config, ConfigError> {
	let dir = tempfile::tempdir().unwrap();
	let path = dir.path().join("worker.toml");
	std::fs::write(&path, text).unwrap();
	Config::load(Some(&path), File::default())
}

fn run_flags(args: &[&str]) -> Result<File, clap::Error> {
	let cli = Cli::try_parse_from(["assay-worker", "run"].iter().chain(args))?;
	match cli.command {
		Command::Run(run) => Ok(run.settings),
		other => panic!("{other:?}"),
	}
}

#[test]
fn the_example_shows_the_defaults() {
	let (shown, default) = (load(EXAMPLE).unwrap(), Config::default());
	assert_eq!(format!("{shown:?}"), format!("{default:?}"));
	// Those without a default are shown too.
	let all: String = EXAMPLE
		.lines()
		.map(|line| {
			line.strip_prefix("# hot_key").map_or(line.into(), |rest| format!("hot_key{rest}"))
		})
		.map(|line| match line.strip_prefix("# endpoint") {
			Some(rest) => format!("endpoint{rest}\n"),
			None => line + "\n",
		})
		.collect();
	let all = load(&all).unwrap();
	assert!(matches!(all.hot_key, Some(KeySource::File(_))));
	assert_eq!(all.endpoint.unwrap().as_str(), "https://worker.example.org");
}

#[test]
fn errors_name_file_line_and_key() {
	for (text, words) in [
		("threads = 1\nhotkey = \"//Alice\"", ["line 2", "unknown field `hotkey`", "`hot_key`"]),
		("\n\nthreads = \"many\"", ["line 3", "threads = ", "expected usize"]),
		("threads = -1", ["line 1", "threads", "-1"]),
		("listen = \"9955\"", ["line 1", "listen", "socket address"]),
		("max_store_bytes = 0", ["line 1", "max_store_bytes", "nonzero"]),
		("nodes = \"ws://a\"", ["line 1", "nodes", "sequence"]),
		("nodes = [\n\"http://a\"]", ["line 1", "\"http://a\"", "is not a WebSocket URL"]),
		("endpoint = \"worker\"", ["line 1", "endpoint", "must begin with http:// or https://"]),
		("threads = 1\nthreads = 2", ["line 2", "threads", "duplicate key"]),
		("threads 1", ["line 1", "threads 1", "expected"]),
		("[worker]\nthreads = 1", ["line 1", "unknown field `worker`", "expected one of"]),
	] {
		let error = load(text).unwrap_err().to_string();
		for word in words.into_iter().chain(["worker.toml"]) {
			assert!(error.contains(word), "{text:?} gives {error:?}, without {word:?}");
		}
	}
	let error = Config::load(Some("/no/such/file".as_ref()), File::default()).unwrap_err();
	assert!(error.to_string().contains("cannot read /no/such/file"), "{error}");
}

#[test]
fn flags_override_the_file() {
	let file =
		"nodes = [\"ws://a\", \"ws://b\"]\nthreads = 3\nallow_local = true\nfetch_seconds = 9";
	let file = File::parse(file).unwrap();
	let flags = ["--threads", "0", "--node", "wss://c", "--allow-local=false"];
	let config = Config::from(run_flags(&flags).unwrap().or(file.clone()));
	let nodes: Vec<&str> = config.nodes.iter().map(|node| node.as_str()).collect();
	assert_eq!((nodes, config.threads, config.allow_local), (vec!["wss://c"], 0, false));
	assert_eq!(config.times.fetch, Duration::from_secs(9));
	let config = Config::from(run_flags(&[]).unwrap().or(file));
	assert_eq!((config.nodes.len(), config.threads, config.allow_local), (2, 3, true));
	assert_eq!(run_flags(&["--allow-local"]).unwrap().allow_local, Some(true));
	for bad in [
		["--threads", "x"],
		["--node", "http://a"],
		["--endpoint", "ftp://a"],
		["--listen", "a"],
		["--sabotage", "1:2:3"],
		["--no-such", "1"],
	] {
		assert!(run_flags(&bad).is_err(), "{bad:?}");
	}
}

#[test]
fn keys_are_files_or_keys_and_never_shown() {
	let phrase = "bottom drive obey lake curtain smoke basket hold race lonely fit walk";
	for (text, is_file) in [
		("//Alice", false),
		(phrase, false),
		("0x0102", false),
		("/etc/assay/hot.key", true),
		("./hot key?", false),
		("hot.key", true),
	] {
		let source: KeySource = text.parse().unwrap();
		assert_eq!(matches!(source, KeySource::File(_)), is_file, "{text}");
		assert_eq!(format!("{source:?}").contains(text), is_file, "{text}");
	}
	assert!("".parse::<KeySource>().is_err());
	let error = KeySource::File("/no/such/key".into()).load().unwrap_err().to_string();
	assert!(error.contains("/no/such/key"), "{error}");
	let missing = Config::default().hot_key().unwrap_err().to_string();
	assert!(missing.contains("no hot_key is set"), "{missing}");
}

#[test]
fn endpoints_lose_their_last_slash() {
	let file = File::parse("endpoint = \"http://a:1/x/\"").unwrap();
	assert_eq!(file.endpoint.unwrap().as_str(), "http://a:1/x");
}
