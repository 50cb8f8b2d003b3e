# Sourced by the other scripts: where things are built, and how. Prints nothing.

ASSAY_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
ASSAY_CACHE="${XDG_CACHE_HOME:-$HOME/.cache}/assay"

# One target folder for every checkout, outside of it: a second clone builds in minutes.
export CARGO_TARGET_DIR="${CARGO_TARGET_DIR:-$ASSAY_CACHE/target}"
# With the target folder elsewhere, the WASM builder cannot find the workspace by itself.
export WASM_BUILD_WORKSPACE_HINT="$ASSAY_ROOT"
# Use the system's OpenSSL: building it from source takes minutes.
export OPENSSL_NO_VENDOR=1

# What setup found out about this machine (WASM_BUILD_TOOLCHAIN, if needed).
if [ -f "$ASSAY_CACHE/machine.env" ]; then
	set -a
	# shellcheck disable=SC1091
	. "$ASSAY_CACHE/machine.env"
	set +a
fi
# cargo, where rustup put it and the shell does not know it yet.
case ":$PATH:" in *":$HOME/.cargo/bin:"*) ;; *) [ -d "$HOME/.cargo/bin" ] && PATH="$PATH:$HOME/.cargo/bin" ;; esac
ASSAY_BIN="$CARGO_TARGET_DIR/debug"
