#!/usr/bin/env bash
#
# Makes one executable, dist/authenticator: --help says more. release/make.ts makes a release with it.

set -euo pipefail

readonly DENO_VERSION=2.9.6 BUN_VERSION=1.4.5 ESBUILD_VERSION=0.25.5
readonly TARGETS='linux-x64, linux-arm64, linux-x64-musl, linux-arm64-musl,
                   macos-x64, macos-arm64, windows-x64, windows-arm64'

# What the executable may do; Deno holds it to that whatever the command line says.
readonly PERMISSIONS=(
  --no-prompt     # it never asks a person for more
  --allow-net     # serve listens where the options say, healthcheck asks there, compare at its URL
  --allow-read    # the files the options name: certificate, keys, secret, socket
  --allow-write   # the socket of --socket, the pictures of pair --svg and --png
  --allow-sys     # its umask, so that a socket is closed to other users while it is made; the CAs of TLS
  --allow-env     # to list the variables: a mistyped AUTHENTICATOR_ name would else be nothing
)

# V8 would let garbage grow to three times what is in use: 240 MB after 100,000 checks, and with these
# half of that after a million. With semi-spaces of 4 MB, a check takes about a tenth longer.
readonly MEMORY=--v8-flags=--max-semi-space-size=8,--heap-growing-percent=25

# Everything is made in STAGE, and published when all of it is there. Of packages, nothing gets inside
# but those whose hashes the lock holds; Deno compares them when it downloads them, and never again, so
# the folders that it and Bun keep for the user are not used.
readonly DIST=${DIST:-dist}
readonly STAGE=$DIST/source CACHES=$DIST/caches
readonly LOCKED=(--lock="$STAGE/runtime.lock" --frozen)

usage() {
  cat <<EOF
Makes the executable dist/authenticator, and dist/SHA256SUMS beside it.

Usage: ./compile.sh [--with deno|bun] [--target TARGET] [--bundle]

  --with deno|bun  The runtime inside (deno). With Bun, dist/authenticator.js is made too
  --target TARGET  Another machine: makes dist/authenticator-TARGET. One of
                   $TARGETS; Deno has none with musl
  --bundle         Only dist/authenticator.js, for \`bun dist/authenticator.js\`

Deno $DENO_VERSION and Bun $BUN_VERSION are taken from the PATH, or else from npm through npx. Packages, esbuild
and the base executables of other machines are downloaded each time, and compared with runtime.lock and
executables.lock. To build offline, or several times, name folders that you trust with both DENO_DIR
and BUN_INSTALL_CACHE_DIR; Deno's packages there are not compared again. DENORT_BIN names a base
executable of Deno that is here. DIST names another folder than dist.
EOF
}

fail() {
  echo "compile.sh: error: $1" >&2
  exit "${2:-1}"
}

# Runs a compiler of the version named above: what another version makes is not tested.
cli() {
  local found
  found=$("$1" --version 2>/dev/null) || true
  if [[ $found == "$2" || $found == "deno $2 "* ]]; then "$1" "${@:3}"; else npx --yes "$1@$2" "${@:3}"; fi
}

# Copies the sources, with the commit in them. COMMIT is for builds without the repository. Deno puts
# the time of each file into its executable: the same sources are to give the same bytes.
stage() {
  local commit=${COMMIT:-} sources=(main.ts deno.json import_map.json runtime.lock LICENSE lib)
  if [[ -z $commit ]]; then
    commit=$(git rev-parse --short=7 HEAD 2>/dev/null || echo unknown)
    [[ -z $(git status --porcelain -- "${sources[@]}" 2>/dev/null) ]] || commit+=+changes
  fi
  rm -rf "$STAGE"
  mkdir -p "$STAGE/made"
  cp -R "${sources[@]}" types "$STAGE"
  sed "s/^const ORIGIN: string = \"from source\"/const ORIGIN: string = \"commit $commit\"/" \
    lib/cli/version.ts >"$STAGE/lib/cli/version.ts"
  find "$STAGE" -exec env TZ=UTC touch -t 200001010000 {} +
}

# Makes the folders of the two runtimes, unless the caller names both, and downloads what the lock names.
# Deno puts the time of each file of a package into its executable.
fill_caches() {
  if [[ -z ${DENO_DIR:-} || -z ${BUN_INSTALL_CACHE_DIR:-} ]]; then
    rm -rf "$CACHES"
    mkdir -p "$CACHES/deno" "$CACHES/bun"
    DENO_DIR=$(cd "$CACHES/deno" && pwd)
    BUN_INSTALL_CACHE_DIR=$(cd "$CACHES/bun" && pwd)
    export DENO_DIR BUN_INSTALL_CACHE_DIR
  fi
  cli deno "$DENO_VERSION" cache "${LOCKED[@]}" --quiet "$STAGE/main.ts"
  [[ ! -e $CACHES ]] || find "$CACHES" -exec env TZ=UTC touch -t 200001010000 {} +
}

sha256() {
  local sum='sha256sum'
  command -v sha256sum >/dev/null || sum='shasum -a 256'
  $sum -- "$@"
}

# Ends the script unless a file is one of those that executables.lock has under names like this.
compare() {
  local name=$1 file=$2 found
  found=$(sha256 "$file" | cut -c 1-64)
  grep -qE "^$found  $name\$" executables.lock ||
    fail "$file is no ${name//\\/} of executables.lock: its SHA-256 is $found"
}

# Compares every esbuild in Deno's folder, which Deno runs without a look at it.
compare_esbuild() {
  local file
  for file in "$DENO_DIR"/dl/esbuild-*/* "$DENO_DIR"/npm/*/@esbuild/*/*/{bin/esbuild,esbuild.exe}; do
    [[ ! -f $file ]] || compare "esbuild-$ESBUILD_VERSION-.*" "$file"
  done
}

# Names this machine as npm does.
this_machine() {
  local system=linux processor=x64
  case $(uname -s) in
    Darwin) system=darwin ;;
    MINGW* | MSYS* | CYGWIN*) system=win32 ;;
  esac
  [[ $(uname -m) != @(arm64|aarch64) ]] || processor=arm64
  echo "$system-$processor"
}

# Names a machine as a runtime does.
triple() {
  local processor=x86_64
  [[ $target != *arm64* ]] || processor=aarch64
  case $1/$target in
    bun/macos-*) echo "bun-${target/macos/darwin}" ;;
    bun/*) echo "bun-$target" ;;
    deno/*-musl) fail "Deno has no --target $target: use --with bun" 2 ;;
    deno/linux-*) echo "$processor-unknown-linux-gnu" ;;
    deno/macos-*) echo "$processor-apple-darwin" ;;
    deno/windows-*) echo "$processor-pc-windows-msvc" ;;
  esac
}

# Compares the base executable that Deno downloaded, if one is known: releases take no other.
compare_denort() {
  local file
  for file in "$DENO_DIR/dl/release/v$DENO_VERSION"/denort-*.zip; do
    [[ -f $file ]] || continue
    if grep -q "  denort-$DENO_VERSION-${file##*/denort-}\$" executables.lock; then
      compare "denort-$DENO_VERSION-${file##*/denort-}" "$file"
    else
      echo "compile.sh: warning: executables.lock has no SHA-256 of ${file##*/}: it was not compared" >&2
    fi
  done
}

with_deno() {
  echo 'Compiling with Deno, which downloads its base executable.'
  cli deno "$DENO_VERSION" compile "${LOCKED[@]}" --check --exclude-unused-npm ${machine:+--target "$machine"} "$MEMORY" \
    "${PERMISSIONS[@]}" --output "$STAGE/made/$output" "$STAGE/main.ts" >"$STAGE/log" 2>&1 &&
    cat "$STAGE/log" && { [[ -n ${DENORT_BIN:-} ]] || compare_denort; } && return
  sed '/^Stack backtrace:/,$d' "$STAGE/log"
  [[ -n ${DENORT_BIN:-} ]] || ! grep -qE 'Setting up base binary|denort' "$STAGE/log" ||
    fail 'the Deno base executable cannot be downloaded: name one with DENORT_BIN, or use --with bun' 3
  fail 'deno compile failed; see above'
}

# Not minified: an error in the log names the functions that it came through. The folders of this
# machine are cut off from the names of the modules.
bundle() {
  cli deno "$DENO_VERSION" cache --no-lock --no-config --quiet \
    "npm:@esbuild/$(this_machine)@$ESBUILD_VERSION"
  compare_esbuild
  cli deno "$DENO_VERSION" bundle "${LOCKED[@]}" --quiet --check --platform deno \
    --output "$STAGE/bundled.js" "$STAGE/main.ts"
  compare_esbuild # a newer Deno would have its own
  sed -E "s#^// $STAGE/#// #; s#^(// |  \")[^\"]*/npm/[^/]+/#\1npm:#" "$STAGE/bundled.js" \
    >"$STAGE/made/authenticator.js"
}

# The bytecode takes 5 MB, and more than halves the time of a start. A format has to be named with it.
with_bun() {
  local name=${machine/arm64/aarch64}-v$BUN_VERSION
  local base=$BUN_INSTALL_CACHE_DIR/$name
  bundle
  [[ ! -e $base ]] || compare "$name" "$base"
  cli bun "$BUN_VERSION" build --compile --bytecode --format=esm --no-compile-autoload-dotenv \
    --no-compile-autoload-bunfig ${machine:+--target="$machine"} "$STAGE/made/authenticator.js" \
    --outfile "$STAGE/made/$output"
  [[ $machine ]] || return 0
  # For the machine that it runs on, Bun takes itself.
  [[ -e $base ]] || base=$(cli bun "$BUN_VERSION" -e 'console.log(process.execPath)')
  compare "$name" "$base"
}

# Replaces the files that were there. To write into the old ones would end a server that runs them.
publish() {
  local path
  mv -f "$STAGE"/made/* "$DIST"
  (cd "$DIST" && sha256 authenticator*) >"$STAGE/SHA256SUMS"
  mv -f "$STAGE/SHA256SUMS" "$DIST"
  for path in "$@"; do echo "$DIST/$path: $(($(wc -c <"$DIST/$path") / 1000000)) MB"; done
}

runtime=deno target= only_bundle=
while (($#)); do
  case $1 in
    --help | -h) usage && exit ;;
    --bundle) only_bundle=yes ;;
    --with | --target)
      [[ ${2:-} ]] || fail "$1 needs a value; --help lists them" 2
      [[ $1 == --with ]] && runtime=$2 || target=$2
      shift
      ;;
    *) fail "unknown option $1; --help lists them" 2 ;;
  esac
  shift
done
[[ $runtime == deno || $runtime == bun ]] || fail '--with must be deno or bun' 2
[[ -z $target || "$TARGETS," =~ (^|[[:space:]])"$target", ]] ||
  fail "--target must be one of: $(echo $TARGETS)" 2
machine=${target:+$(triple "$runtime")}

cd "$(dirname "${BASH_SOURCE[0]}")"
trap 'rm -rf "$STAGE" "$CACHES"' EXIT
stage
fill_caches
output=authenticator${target:+-$target}
[[ $target != *windows* ]] || output+=.exe
if [[ $only_bundle ]]; then
  bundle
  publish authenticator.js
elif [[ $runtime == bun ]]; then
  with_bun
  publish "$output" authenticator.js
  echo 'Bun lets the process do what its user may; with Deno it may do what compile.sh lists.'
else
  with_deno
  publish "$output"
fi
