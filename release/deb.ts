/**
 * Package for Debian and Ubuntu: the executable, its systemd unit, the manual page and the examples
 * of `deploy/`, with maintainer scripts as debhelper writes them.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { manPage } from "./man_page.ts";
import { licenses } from "../lib/cli/licenses.ts";
import { filesIn } from "./archive.ts";

const ROOT = new URL("../", import.meta.url);

/** Contents of a package that differ from one to the next. */
export interface Package {
  /** Debian's name of the processor. */
  readonly architecture: "amd64" | "arm64";
  readonly version: string;
  /** Day of the release, for instance 2026-01-31: the time of every file. */
  readonly date: string;
  /** Path of an executable with Bun inside. */
  readonly executable: string;
}

/** File of a package. */
interface File {
  readonly path: string;
  readonly content: string | Uint8Array;
  /** Permissions; 0o644 by default. */
  readonly mode?: number;
}

/** Whether `dpkg-deb` is installed. */
export async function canPack(): Promise<boolean> {
  try {
    return (await new Deno.Command("dpkg-deb", { args: ["--version"] }).output()).success;
  } catch {
    return false;
  }
}

/** Name of a package's file. */
export function packageName(
  { version, architecture }: Pick<Package, "version" | "architecture">,
): string {
  return `authenticator_${debianVersion(version)}_${architecture}.deb`;
}

/** Writes a version as Debian orders it: 0.2.0~dev.1 comes before 0.2.0, 0.2.0-dev.1 would not. */
export function debianVersion(version: string): string {
  return version.replace("-", "~");
}

/**
 * Makes a package in a folder. The same input gives the same bytes.
 *
 * @returns The name of its file.
 */
export async function packDebian(folder: string, contents: Package): Promise<string> {
  const { date, executable } = contents;
  const name = packageName(contents);
  const stage = await Deno.makeTempDir({ dir: folder, prefix: "deb-" });
  try {
    const files = filesOf(contents);
    for (const { path, content, mode = 0o644 } of [...files, ...controlFiles(contents, files)]) {
      await makeFolders(stage, path);
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(`${stage}/${path}`, bytes);
      await Deno.chmod(`${stage}/${path}`, mode);
    }
    await makeFolders(stage, "usr/bin/authenticator");
    await Deno.chmod(`${stage}/etc/authenticator`, 0o700);
    await Deno.copyFile(executable, `${stage}/usr/bin/authenticator`);
    await Deno.chmod(`${stage}/usr/bin/authenticator`, 0o755);
    await Deno.chmod(stage, 0o755);
    // Gzip: xz takes minutes to save a fifth, and Debian 11 cannot read zstd.
    const args = ["--build", "--root-owner-group", "-Zgzip", stage, `${folder}/${name}`];
    const env = { SOURCE_DATE_EPOCH: String(Date.parse(date) / 1000) };
    const { success, stderr } = await new Deno.Command("dpkg-deb", { args, env }).output();
    if (!success) throw new Error(`dpkg-deb: ${new TextDecoder().decode(stderr)}`);
    return name;
  } finally {
    await Deno.remove(stage, { recursive: true });
  }
}

/** Makes the folders above a file, readable by everybody whatever the umask. */
async function makeFolders(stage: string, path: string): Promise<void> {
  const parts = path.split("/").slice(0, -1);
  for (const i of parts.keys()) {
    const folder = `${stage}/${parts.slice(0, i + 1).join("/")}`;
    await Deno.mkdir(folder, { recursive: true });
    await Deno.chmod(folder, 0o755);
  }
}

const DOC = "usr/share/doc/authenticator";
const UNITS = "usr/lib/systemd/system";

const MAN_LINK = ".so man1/authenticator.1\n";

/** Files of a package except the executable. */
function filesOf({ version, date }: Package): readonly File[] {
  const target = installed("authenticator.target").replace(/^(?:#.*\n)+/, TARGET_COMMENT);
  const unit = installed("authenticator.service").replace(/^(?:#.*\n)+/, UNIT_COMMENT);
  return [
    { path: OPTIONS_PATH, content: OPTIONS_FILE, mode: 0o600 },
    { path: `${UNITS}/authenticator.service`, content: unit },
    {
      path: `${UNITS}/authenticator@.service`,
      content: unit.replace("Description=Authenticator", "Description=Authenticator %i"),
    },
    { path: `${UNITS}/authenticator.target`, content: target },
    {
      path: "usr/bin/authenticator-as-service",
      content: installed("authenticator-as-service"),
      mode: 0o755,
    },
    { path: "usr/share/man/man1/authenticator.1.gz", content: gzip(manPage(version)) },
    { path: "usr/share/man/man1/authenticator-as-service.1.gz", content: gzip(MAN_LINK) },
    { path: `${DOC}/copyright`, content: `${licenses()}\n\n${LGPL}\n` },
    { path: `${DOC}/changelog.gz`, content: gzip(changelog(version, date)) },
    { path: `${DOC}/CHANGELOG.md.gz`, content: gzip(read("CHANGELOG.md")) },
    ...filesIn("deploy/").map((path) => ({
      path: `${DOC}/${path}`,
      content: read(path),
      mode: read(path).startsWith("#!") ? 0o755 : 0o644,
    })),
    ...["SECURITY.md", ...filesIn("docs/")].map((path) => ({
      path: `${DOC}/${path}`,
      // The page of the installation by hand keeps its paths.
      content: (path === "docs/linux.md" ? read(path) : withPaths(read(path)))
        .replaceAll("](../CHANGELOG.md)", "](../CHANGELOG.md.gz)"),
    })),
    { path: "usr/share/lintian/overrides/authenticator", content: OVERRIDES },
  ];
}

/** A file of `deploy/`, with the paths of the package. */
function installed(name: string): string {
  return withPaths(read(`deploy/${name}`));
}

/** A text with the paths of the package. */
function withPaths(text: string): string {
  return text.replaceAll(/\/usr\/local\/(bin|share\/doc|share\/man)\//g, "/usr/$1/");
}

function read(path: string): string {
  return Deno.readTextFileSync(new URL(path, ROOT));
}

/** Compresses as `gzip -9n` does: without name and time. */
function gzip(text: string): Uint8Array {
  return gzipSync(text, { level: 9 });
}

const LGPL = "On Debian, the text of the LGPL 2 is in /usr/share/common-licenses/LGPL-2.";

const OPTIONS_PATH = "etc/authenticator/authenticator.conf";

const OPTIONS_FILE = `# Options of the service, one AUTHENTICATOR_NAME=value per line, for instance:
#
# AUTHENTICATOR_SINGLE_USE=true
#
# After a change: authenticator-as-service restart. \`man authenticator\` lists the options.
AUTHENTICATOR_METRICS_PORT=9101
`;

const UNIT_COMMENT =
  `# Options and keys belong into /etc/authenticator, ports and addresses into a drop-in (systemctl edit
# authenticator): /${DOC}/deploy/drop-ins has some. After a change: authenticator-as-service restart,
# which checks the options first.
`;

const TARGET_COMMENT =
  `# Several servers on one port, one for each core: /${DOC}/docs/instances.md says how.
`;

function changelog(version: string, date: string): string {
  const time = new Date(date).toUTCString().replace("GMT", "+0000");
  return `authenticator (${debianVersion(version)}) unstable; urgency=medium

  * New version; CHANGELOG.md.gz beside this file lists the changes.

 -- ${MAINTAINER}  ${time}
`;
}

const MAINTAINER = "Authenticator authors <maintainers@authenticator.invalid>";

/** Control files of a package. */
function controlFiles(contents: Package, files: readonly File[]): readonly File[] {
  const { architecture, version, executable } = contents;
  const bytes = files.reduce((sum, { content }) => sum + content.length, 0) +
    Deno.statSync(executable).size;
  const control = `Package: authenticator
Version: ${debianVersion(version)}
Architecture: ${architecture}
Maintainer: ${MAINTAINER}
Installed-Size: ${Math.ceil(bytes / 1024)}
Depends: libc6 (>= 2.17), init-system-helpers (>= 1.54~), procps
Breaks: systemd (<< 249)
Section: net
Priority: optional
Description: web service that pairs authenticator apps and checks their pins
 Authenticator has the operations Pair and ValidatePin of the hosted service
 that many older applications use for their two-factor login, over SOAP, HTTP
 GET, HTTP POST and JSON. It runs on your own machine and stores no secrets.
`;
  const sums = [...files.filter(({ path }) => !path.startsWith("etc/")), {
    path: "usr/bin/authenticator",
    content: Deno.readFileSync(executable),
  }].map(({ path, content }) => `${createHash("md5").update(content).digest("hex")}  ${path}\n`);
  return [
    { path: "DEBIAN/control", content: control },
    { path: "DEBIAN/conffiles", content: `/${OPTIONS_PATH}\n` },
    { path: "DEBIAN/preinst", content: PREINST, mode: 0o755 },
    { path: "DEBIAN/md5sums", content: sums.toSorted().join("") },
    { path: "DEBIAN/postinst", content: POSTINST, mode: 0o755 },
    { path: "DEBIAN/prerm", content: PRERM, mode: 0o755 },
    { path: "DEBIAN/postrm", content: POSTRM, mode: 0o755 },
  ];
}

// A refused version is put aside, and the one before it back: systemd starts that at the next boot.
const MOVE = `keep=/usr/lib/authenticator-upgrade
move() {
  [ -d "$keep/$2" ] || return 0
  mkdir -p "$keep/$1"
  for file in /usr/bin/authenticator /usr/bin/authenticator-as-service \\
    /usr/lib/systemd/system/authenticator.service /usr/lib/systemd/system/authenticator@.service; do
    cp -p "$file" "$keep/$1/"
    cp -p "$keep/$2/\${file##*/}" "$file.new"
    mv "$file.new" "$file"
  done
  [ ! -d /run/systemd/system ] || systemctl daemon-reload
}
`;

const PREINST = `#!/bin/sh
set -e
if [ -e /etc/systemd/system/authenticator.service ] && [ -e /usr/local/bin/authenticator ]; then
  echo "authenticator: error: it is installed by hand, and systemd would go on using that: first run" \\
    "sh /usr/local/lib/authenticator/install.sh --remove, which keeps the options" >&2
  exit 1
fi
if [ "$1" = upgrade ] && [ -e /usr/bin/authenticator ]; then
  keep=/usr/lib/authenticator-upgrade
  rm -rf "$keep"
  mkdir -p "$keep/old"
  cp -p /usr/bin/authenticator /usr/bin/authenticator-as-service \\
    /usr/lib/systemd/system/authenticator.service /usr/lib/systemd/system/authenticator@.service \\
    "$keep/old"
fi
`;

const POSTINST = `#!/bin/sh
set -e
${MOVE}fail() {
  echo "authenticator: error: $1. Then run: dpkg --configure authenticator" >&2
  exit 1
}
failed() {
  fail "$1 did not start: $(authenticator-as-service --unit "$1" cause)"
}
case "$1" in
configure | abort-upgrade | abort-deconfigure | abort-remove)
  # A version without this file of options must not start without it: it refuses this variable.
  marker=AUTHENTICATOR_CONFIG=/etc/authenticator/authenticator.conf
  if ! grep -qx "$marker" /etc/authenticator.env 2>/dev/null; then
    [ -e /etc/authenticator.env ] || install -m 600 /dev/null /etc/authenticator.env
    printf '\\n# Options are in this file:\\n%s\\n' "$marker" >>/etc/authenticator.env
  fi
  # An administrator who disabled the unit keeps it disabled.
  if deb-systemd-helper --quiet was-enabled authenticator.service; then
    deb-systemd-helper enable authenticator.service >/dev/null || true
  else
    deb-systemd-helper update-state authenticator.service >/dev/null || true
  fi
  if [ -d /run/systemd/system ]; then
    move old new
    systemctl --system daemon-reload >/dev/null || true
    # First see that the new version can start everywhere, with all that is in force.
    [ -z "$2" ] || authenticator-as-service check >/dev/null || [ $? = 1 ] || {
      move new old
      fail "the new version cannot start with these settings, and the old one stays"
    }
    running=$(systemctl list-units --plain --no-legend --state=active \\
      authenticator.service 'authenticator@*.service' | cut -d ' ' -f 1)
    # A unit that gave up would not be started again within the hour.
    deb-systemd-invoke reset-failed authenticator.service >/dev/null 2>&1 || true
    action=start
    [ -z "$2" ] || action=restart
    deb-systemd-invoke "$action" authenticator.service >/dev/null || failed authenticator.service
    # Instances one after the other, so that a proxy always finds one.
    for unit in $running; do
      [ "$unit" = authenticator.service ] || deb-systemd-invoke restart "$unit" >/dev/null ||
        failed "$unit"
    done
    rm -rf "$keep"
  else
    rm -rf "$keep"
    echo "authenticator: systemd does not run here, so nothing was started: run authenticator serve"
  fi
  ;;
esac
`;

const PRERM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  deb-systemd-invoke stop authenticator.service 'authenticator@*.service' authenticator.target \
    >/dev/null || true
fi
`;

const POSTRM = `#!/bin/sh
set -e
if [ "$1" = remove ] && [ -d /run/systemd/system ]; then
  systemctl --system daemon-reload >/dev/null || true
fi
if [ "$1" = remove ] || [ "$1" = purge ]; then
  rm -rf /usr/lib/authenticator-upgrade
  # Instances that an administrator enabled.
  rm -f /etc/systemd/system/*.wants/authenticator@*.service \\
    /etc/systemd/system/*.wants/authenticator.target
fi
if [ "$1" = purge ]; then
  rm -f /etc/authenticator.env
  deb-systemd-helper purge authenticator.service >/dev/null 2>&1 || true
fi
`;

// Findings of lintian that stay, each with its reason.
const OVERRIDES = `# The program is appended to the runtime: strip would remove it.
unstripped-binary-or-object [usr/bin/authenticator]
# Bun is one executable with its own libraries inside, and is linked by its makers.
embedded-library *[usr/bin/authenticator]
hardening-no-pie [usr/bin/authenticator]
hardening-no-relro [usr/bin/authenticator]
# The options may hold the password of a store.
non-standard-file-perm 0600 != 0644 [etc/authenticator/authenticator.conf]
non-standard-dir-perm 0700 != 0755 [etc/authenticator/]
`;
