//! Every published vector, to the bit.

use assay_compute::json::{check_case, load_cases};
use std::{
	fs,
	path::{Path, PathBuf},
};

/// Vector folders: the committed copy, and the shared one where it is checked out beside the tree.
fn folders() -> Vec<PathBuf> {
	let here = Path::new(env!("CARGO_MANIFEST_DIR"));
	[here.join("tests/vectors"), here.join("../../shared/vectors")]
		.into_iter()
		.filter(|folder| folder.is_dir())
		.collect()
}

#[test]
fn all_vectors_agree() {
	let (mut valid, mut invalid, mut compared) = (0, 0, 0);
	for folder in folders() {
		for entry in fs::read_dir(&folder).unwrap() {
			let path = entry.unwrap().path();
			if path.extension().is_none_or(|extension| extension != "json") {
				continue;
			}
			let cases = load_cases(&fs::read_to_string(&path).unwrap());
			for case in cases.unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
				let report = check_case(&case);
				let report = report.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
				compared += report.compared;
				match report.rejected {
					Some(_) => invalid += 1,
					None => valid += 1,
				}
			}
		}
	}
	println!("{valid} valid and {invalid} invalid cases, {compared} values compared");
	assert!(valid >= 80 && invalid >= 44, "the committed vectors are all there");
}

/// A part of the reason for each published case, so that none is rejected for something else than it
/// is about.
const REASONS: [(&str, &str); 44] = [
	("no nodes", "at least one node"),
	("reference forward", "node 1: refers to node 2"),
	("reference to itself", "node 0: refers to node 0"),
	("dead node", "node 1: no later node uses"),
	("zero rows", "at least one row"),
	("zero cols", "at least one column"),
	("row over the limit", "rows of 524292 bytes"),
	("i8 row over the limit", "rows of 524289 bytes"),
	("rows over the limit", "16777217 rows"),
	("matmul on i32", "operand 0 is i32[2,3], but must be i8"),
	("matmul inner mismatch", "operand 1 is i8[2,4], but must have 3 columns"),
	("matmul k over the limit", "at most 131071 columns"),
	("matmul result row over the limit", "rows of 524292 bytes"),
	("requant on i8", "operand 0 is i8[2,3], but must be i32"),
	("requant bias width", "operand 1 is i32[1,4], but must be i32[1,3]"),
	("requant shift", "shift 63"),
	("lut table size", "operand 1 is i8[1,255], but must be i8[1,256]"),
	("add rows", "operand 1 is i32[2,3], but must be i32[3,3] or one row"),
	("add dtypes", "operand 1 is i8[3,3], but must be i32[3,3] or one row"),
	("mul dtypes", "operand 0 is i32[3,3], but must be i8"),
	("softmax table dtype", "operand 1 is i8[1,256], but must be i32[1,256]"),
	("norm shift", "shift 16"),
	("gather index shape", "operand 1 is i32[2,2], but must have 1 columns"),
	("slice past the end", "slice of 2 from 2 does not fit 3"),
	("slice overflow", "slice of 2 from 4294967295 does not fit 3"),
	("slice empty", "slice of 0 from 1 does not fit 3"),
	("concat dtypes", "operand 1 is i32[3,3], but must be i8"),
	("concat rows mismatch", "operand 1 is i8[2,3], but must have 3 rows"),
	("concat no parts", "0 parts"),
	("concat 65 parts", "65 parts"),
	("row_scale scale rows", "operand 1 is i32[2,1], but must be i32[3,1]"),
	("softmax shift", "shift 63"),
	("rms shift", "shift 16"),
	("row_scale shift", "shift 63"),
	("col_scale shift", "shift 63"),
	("add width", "operand 1 is i32[1,4], but must be i32[3,3] or one row"),
	("mul width", "operand 1 is i8[1,4], but must be i8[3,3] or one row"),
	("concat_rows dtypes", "operand 1 is i32[3,3], but must be i8"),
	("concat_rows cols", "operand 1 is i8[3,4], but must have 3 columns"),
	("row_quant on i8", "operand 0 is i8[3,3], but must be i32"),
	("fill row over the limit", "rows of 524289 bytes"),
	("transpose row over the limit", "rows of 524289 bytes"),
	("too many nodes", "16385 nodes"),
	("absmax on i8", "operand 0 is i8[3,3], but must be i32"),
];

#[test]
fn rejections_name_the_reason() {
	let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/invalid.json");
	let cases = load_cases(&fs::read_to_string(path).unwrap()).unwrap();
	for (name, part) in REASONS {
		let case = cases.iter().find(|case| case.name == name);
		let case = case.unwrap_or_else(|| panic!("there is no case {name}"));
		let reason = check_case(case).unwrap().rejected.unwrap();
		assert!(reason.contains(part), "{name}: {reason}");
		// Also without the encoding, which refuses some of them first.
		assert!(case.program.clone().validate().is_err(), "{name}");
	}
}
