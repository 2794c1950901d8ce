#!/usr/bin/env bash
#
# Makes one executable: dist/authenticator, or all that belongs to a release. Needs Deno on the PATH,
# or Node's npx; --help says more.

set -euo pipefail

readonly DENO_VERSION=2.9.6 BUN_VERSION=1.4.4

# What the executable may do; Deno holds it to that whatever the command line says.
readonly PERMISSIONS=(
  --no-prompt     # it never asks a person for more
  --allow-net     # serve listens where the options say, healthcheck asks there
  --allow-read    # the files the options name: certificate, keys, secret, socket
  --allow-write   # the socket of --socket, the pictures of pair --svg and --png
  --allow-sys     # its umask, so that a socket is closed to other users while it is made
  --allow-env     # to list the variables: a mistyped AUTHENTICATOR_ name would else be nothing
)

# V8 would let garbage grow to three times what is in use: 240 MB after 100,000 checks, and with these
# 117 after a million. With semi-spaces of 4 MB it is 107, and a check takes about a tenth longer.
readonly MEMORY=--v8-flags=--max-semi-space-size=8,--heap-growing-percent=25

# Our name of a target, Deno's, Bun's.
readonly TARGETS='linux-x64 x86_64-unknown-linux-gnu bun-linux-x64
linux-arm64 aarch64-unknown-linux-gnu bun-linux-arm64
linux-x64-musl - bun-linux-x64-musl
linux-arm64-musl - bun-linux-arm64-musl
macos-x64 x86_64-apple-darwin bun-darwin-x64
macos-arm64 aarch64-apple-darwin bun-darwin-arm64
windows-x64 x86_64-pc-windows-msvc bun-windows-x64'

usage() {
  cat <<EOF
Makes the executable dist/authenticator, and dist/SHA256SUMS beside it.

Usage: ./compile.sh [--with deno|bun] [--target TARGET] [--bundle | --release]

  --with deno|bun  The runtime inside (deno)
  --target TARGET  The machine it is for (this one): $(cut -d' ' -f1 <<<"$TARGETS" | paste -sd' ' - | fold -s -w 60 | sed '2,$s/^/                   /')
  --bundle         Only dist/authenticator.js, for \`bun dist/authenticator.js\`; --with bun makes
                   it too
  --release        dist/release/: executables for every target with both runtimes, the bundle, manual
                   page, library for npm, licences, SBOM, notes and checksums. --with and --target narrow it

DENORT_BIN names the Deno base executable where it cannot be downloaded; without both, Bun is used.
Deno $DENO_VERSION and Bun $BUN_VERSION are taken from the PATH, or else from npm through npx.
EOF
}

fail() {
  echo "compile.sh: error: $1" >&2
  exit "${2:-1}"
}

# The compilers named above and no others: what another makes, nobody has tested.
deno_cli() {
  if [[ $(deno --version 2>/dev/null) == "deno $DENO_VERSION"* ]]; then
    deno "$@"
  else
    npx --yes "deno@$DENO_VERSION" "$@"
  fi
}

bun_cli() {
  if [[ $(bun --version 2>/dev/null) == "$BUN_VERSION" ]]; then
    bun "$@"
  else
    npx --yes "bun@$BUN_VERSION" "$@"
  fi
}

# Where everything is made: what was made before stays as it is until all of the new is there.
readonly STAGE=dist/source

# Nothing gets inside but the packages whose hashes this lock holds.
readonly LOCKED=(--lock="$STAGE/runtime.lock" --frozen)

# Copies what the program is made of, with the commit in it, so that nothing else can get inside.
stage() {
  local commit
  # COMMIT is for builds without the repository, in a container for instance.
  commit=${COMMIT:-$(git rev-parse --short=7 HEAD 2>/dev/null || echo unknown)}
  [[ $commit == unknown || -n ${COMMIT:-} || -z $(git status --porcelain -- main.ts deno.json import_map.json runtime.lock lib 2>/dev/null) ]] ||
    commit+=+changes
  rm -rf "$STAGE"
  mkdir -p "$STAGE/made"
  cp -R main.ts deno.json import_map.json runtime.lock lib types "$STAGE"
  sed "s/^const ORIGIN: string = \"from source\"/const ORIGIN: string = \"commit $commit\"/" \
    lib/cli/version.ts >"$STAGE/lib/cli/version.ts"
  clear_times "$STAGE"
}

# Deno puts the time of each file into its executable: the same sources are to give the same bytes.
clear_times() {
  find "$1" -exec env TZ=UTC touch -t 200001010000 {} +
}

# Not minified: an error in the log names the functions that it came through. With --keep-names each
# function that a request makes would be given its name again, a twentieth of the time of a check. The
# names of the modules say where they lay on this machine; that is cut off.
bundle() {
  deno_cli bundle "${LOCKED[@]}" --quiet --check --platform deno \
    --output "$STAGE/bundled.js" "$STAGE/main.ts"
  sed -E "s#^// $STAGE/#// #; s#^(// |  \")[^\"]*/npm/[^/]+/#\1npm:#" "$STAGE/bundled.js" \
    >"$STAGE/made/authenticator.js"
}

# The base executable is the one thing that Deno downloads when it compiles.
with_deno() {
  local target=()
  [[ $deno_target == here ]] || target=(--target "$deno_target")
  deno_cli compile "${LOCKED[@]}" --check --exclude-unused-npm ${target[@]+"${target[@]}"} "$MEMORY" "${PERMISSIONS[@]}" --output "$STAGE/made/$output" "$STAGE/main.ts"
}

# From made/authenticator.js.
with_bun() {
  local target=()
  [[ $bun_target == here ]] || target=("--target=$bun_target")
  bun_cli build --compile --no-compile-autoload-dotenv --no-compile-autoload-bunfig ${target[@]+"${target[@]}"} "$STAGE/made/authenticator.js" --outfile "$STAGE/made/$output"
}

# Whether a failed compilation failed for want of the base executable: its output, a file, says so.
lacks_base() {
  [[ -z ${DENORT_BIN:-} ]] && grep -qE 'Setting up base binary|denort' "$1"
}

compile() {
  local log=$STAGE/log
  if [[ $runtime == deno ]]; then
    echo 'Compiling with Deno, which downloads its base executable first.'
    with_deno >"$log" 2>&1 && cat "$log" && return
    lacks_base "$log" || { cat "$log" && fail 'deno compile failed; see above'; }
    [[ -z $asked ]] || {
      cat "$log"
      fail 'the Deno base executable cannot be downloaded: name one with DENORT_BIN, or use --with bun'
    }
    echo 'The Deno base executable cannot be downloaded and DENORT_BIN is not set: using Bun instead.'
    runtime=bun
  fi
  bundle
  with_bun
}

# The line of a target, or nothing.
find_target() {
  grep "^$1 " <<<"$TARGETS" || true
}

# Makes all of a release. The executables that cannot be made here for want of their base are named
# at the end; whatever else fails, fails the release.
release() {
  notes=$(tool notes)
  bundle
  # What Deno downloads has the time of the download: it is downloaded here, and its times cleared.
  export DENO_DIR=$PWD/$STAGE/cache
  deno_cli cache "${LOCKED[@]}" --quiet "$STAGE/main.ts"
  clear_times "$DENO_DIR"
  while read -r -u 3 name deno_target bun_target; do
    for runtime in ${asked:-deno bun}; do
      output=authenticator-$name-$runtime
      [[ $name != windows-* ]] || output+=.exe
      release_executable
    done
  done 3< <(grep "^$only_target" <<<"$TARGETS")
  unset DENO_DIR
  release_texts
}

release_executable() {
  local log
  if [[ $runtime == bun ]]; then
    with_bun
  elif [[ $deno_target != - ]]; then
    log=$STAGE/log
    with_deno >"$log" 2>&1 && return
    lacks_base "$log" || { cat "$log" && fail "$output cannot be made; see above"; }
    missing+=("$output")
  fi
}

# What stands beside the executables.
release_texts() {
  local made=$STAGE/made runtimes=()
  ! ls "$made"/*-deno* &>/dev/null || runtimes+=("deno@$DENO_VERSION")
  ! ls "$made"/*-bun* &>/dev/null || runtimes+=("bun@$BUN_VERSION")
  program man >"$made/authenticator.1"
  program licenses >"$made/LICENSES.txt"
  cp LICENSE "$made"
  printf '%s\n' "$notes" >"$made/RELEASE_NOTES.md"
  tool sbom "${runtimes[@]}" >"$made/sbom.cdx.json"
  deno_cli run --lock=deno.lock --frozen --no-prompt -A release/npm.ts "$made" >"$STAGE/log"
}

# Runs a command of the program that needs no options.
program() {
  deno_cli run "${LOCKED[@]}" --no-prompt --allow-env --allow-read "$STAGE/main.ts" "$@"
}

# Runs a script of release/.
tool() {
  deno_cli run --lock=deno.lock --frozen --no-prompt --allow-read --allow-env "release/$1.ts" "${@:2}"
}

# Puts a release in the place of the one that was there, which stays until all of the new is there.
publish_release() {
  (cd "$STAGE/made" && checksums $(find . -type f | cut -c3- | LC_ALL=C sort)) >"$STAGE/SHA256SUMS"
  mv "$STAGE/SHA256SUMS" "$STAGE/made"
  [[ ! -e dist/release ]] || mv dist/release "$STAGE/old"
  mv "$STAGE/made" dist/release || { mv "$STAGE/old" dist/release && fail 'dist/release is as it was'; }
  (cd dist/release && find . -type f | cut -c3- | LC_ALL=C sort)
  ((${#missing[@]} == 0)) || {
    echo 'Not made, since the Deno base executable cannot be downloaded and DENORT_BIN is not set:'
    printf '%s\n' "${missing[@]}"
  }
}

# Puts what was made in the place of what was there. A server that runs keeps the old file: to write
# into it would end the server.
publish() {
  mv -f "$STAGE"/made/* dist/
  (cd dist && checksums authenticator*) >"$STAGE/SHA256SUMS"
  mv -f "$STAGE/SHA256SUMS" dist/
}

checksums() {
  local sum='sha256sum'
  command -v sha256sum >/dev/null || sum='shasum -a 256'
  $sum -- "$@"
}

report() {
  local bytes
  bytes=$(wc -c <"$1")
  printf '%s: %s.%s MB, ' "$1" $((bytes / 1000000)) $((bytes / 100000 % 10))
  if [[ $1 == *.js ]]; then
    echo 'a bundle for bun'
  elif [[ $runtime == deno ]]; then
    echo 'on Deno, which holds it to the permissions listed in compile.sh'
  else
    echo 'on Bun, where the process may do what its user may'
  fi
}

runtime=deno asked= deno_target=here bun_target=here output=authenticator only_bundle= release=
only_target= notes= missing=()
while (($#)); do
  case $1 in
    --help | -h) usage && exit ;;
    --bundle) only_bundle=yes ;;
    --release) release=yes ;;
    --with)
      runtime=${2:-} asked=${2:-} && shift
      [[ $runtime == deno || $runtime == bun ]] || fail '--with must be deno or bun' 2
      ;;
    --target)
      read -r name deno_target bun_target <<<"$(find_target "${2:-none}")" && shift
      [[ ${name:-} ]] || fail '--target is not one of those that --help lists' 2
      output=authenticator-$name only_target="$name "
      ;;
    *) fail "there is no option $1; --help lists them" 2 ;;
  esac
  shift
done
if [[ $deno_target == - && $runtime == deno && ! $release ]]; then
  echo 'Deno has no base executable for musl: using Bun.'
  runtime=bun
fi
[[ $bun_target != bun-windows-x64 ]] || output+=.exe

cd "$(dirname "${BASH_SOURCE[0]}")"
trap 'rm -rf "$STAGE"' EXIT
stage
if [[ $release ]]; then
  release
  publish_release
  exit
fi
if [[ $only_bundle ]]; then
  output=authenticator.js
  bundle
else
  compile
fi
publish
report "dist/$output"
# What is inside that executable, for those who have Bun.
[[ $runtime != bun || $only_bundle ]] || report dist/authenticator.js
