/**
 * Every block of commands, pasted whole into dash and bash, where each of its commands fails in turn. It
 * runs in a scratch root: the programs are stand-ins, of which those for files do what they do.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { assert } from "@std/assert/assert";
import { assertEquals } from "@std/assert/equals";
import { need, runToEnd } from "../../support/child.ts";
import { withFolder } from "../../support/folder.ts";
import { ROOT } from "../../support/pages.ts";
import {
  type Block,
  blocksOfComments,
  blocksOfPages,
  titleOf,
} from "../../support/shell_blocks.ts";

const STAND_IN = fileURLToPath(new URL("stand_in.sh", import.meta.url));
const SHELLS = ["dash", "bash"] as const;

// What the blocks call, but for the programs of the project that they call by a path.
const PROGRAMS =
  `apt authenticator authenticator-as-service bun chmod chown cp curl deno docker dpkg find grep head install
  journalctl kubectl ln mariadb mkdir mv npx openssl podman podman-compose psql redis-cli redis-server rm
  sh sha256sum sleep sort sudo systemctl tar uniq xattr`.split(/\s+/);

/** Files whose loss no command makes good: keys, secrets, options, and drop-ins, which people edit. */
const IRREPLACEABLE =
  /\.key$|\/work\/key\.pem$|\/(?:api-keys|seal-keys|secret\.txt)$|\.service\.d\/.*\.conf$/;

const KEPT = "kept\n";

/** How a block ended. */
interface Outcome {
  /** The exit status of its last command; undefined where it ended the shell. */
  readonly status: number | undefined;
  /** The calls of programs, in order. */
  readonly calls: readonly string[];
  /** The files in the scratch root afterwards. */
  readonly files: ReadonlyMap<string, string>;
  readonly stderr: string;
}

/**
 * Makes what scratch roots are copied from: folders, and what a release or a build would bring. Beside it
 * is the folder of the stand-ins.
 */
async function makeTemplate(folder: string): Promise<void> {
  const deploy = fileURLToPath(new URL("deploy", ROOT));
  const script = `set -e
    mkdir -p bin root && cd root
    mkdir -p etc/systemd/system etc/authenticator home run usr/local/bin usr/local/share/doc/authenticator \
      usr/share/doc/authenticator work/dist/release work/ca
    for name in ${PROGRAMS.join(" ")}; do ln -s '${STAND_IN}' "../bin/$name"; done
    cp -R '${deploy}' work/deploy
    cp -R work/deploy usr/share/doc/authenticator/deploy
    cp -R work/deploy usr/local/share/doc/authenticator/deploy
    for name in compile.sh dist/authenticator dist/release/authenticator-linux-x64-bun deploy/internal-ca.sh; do
      ln -sf '${STAND_IN}' "work/$name"
    done
    for name in ca/cert.pem ca/key.pem api.key seal-keys; do echo "$name" >"work/$name"; done`;
  const { code, stderr } = await runToEnd(["sh", "-c", script], { cwd: folder });
  assertEquals([code, stderr], [0, ""]);
}

function filesIn(folder: string, root = folder): readonly (readonly [string, string])[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory, isFile }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return filesIn(path, root);
    return isFile ? [[path.slice(root.length), Deno.readTextFileSync(path)] as const] : [];
  });
}

/** A block with the paths of a scratch root, and a mark before each member of a pipeline but the last. */
function scriptOf(block: Block, folder: string): string {
  const marked = marksOf(block.text).reduceRight(
    (text, at) => `${text.slice(0, at)}PIPED=1 ${text.slice(at)}`,
    block.text,
  );
  const text = marked.replace(/(?<![\w./:}-])\/(etc|run|usr|var)\b/g, `${folder}/root/$1`);
  return `${text}\nprintf %s "$?" >'${folder}/status'\n`;
}

/** Where the members of pipelines begin, but for the last of each. */
function marksOf(text: string): readonly number[] {
  const marks: number[] = [];
  let start = 0;
  for (
    const { 0: token, index } of text.matchAll(
      /'[^']*'|"(?:[^"\\]|\\[^])*"|\\[^]|(?<!\S)#.*|&&|\|\||[\n;|(){}]|\b(?:do|then)\b/g,
    )
  ) {
    if (/^['"\\#]/.test(token)) continue;
    if (token === "|") {
      const before = text.slice(start, index);
      assert(
        /^\s*[\w./"'-]/.test(before),
        `the member of a pipeline is no simple command: ${before}`,
      );
      marks.push(start + before.search(/\S/));
    }
    start = index + token.length;
  }
  return marks;
}

/** What a block is pasted into. */
interface Scene {
  readonly shell: string;
  /** The folder of the stand-ins, and of the root that is copied. */
  readonly template: string;
}

/** What is otherwise than where all goes well for the first time. */
interface Conditions {
  /** The number of the call that fails, or all members of pipelines before the last. */
  readonly fail?: number | "piped";
  /** Files that are there from before. */
  readonly kept?: readonly string[];
}

async function paste(
  block: Block,
  { template, shell }: Scene,
  { fail, kept = [] }: Conditions = {},
): Promise<Outcome> {
  return await withFolder(async (folder) => {
    const root = `${folder}/root`;
    const files = kept.map((path) =>
      `mkdir -p "$(dirname 'root${path}')" && echo kept >'root${path}'`
    );
    const start = [
      `cp -R '${template}/root' .`,
      ...files,
      "cd root/work",
      `shell=$(command -v ${shell})`,
      `PATH='${template}/bin'`,
      'exec "$shell" ../../script',
    ];
    await Deno.writeTextFile(`${folder}/script`, scriptOf(block, folder));
    const { stderr } = await runToEnd(["sh", "-c", start.join(" && ")], {
      cwd: folder,
      deadlineMs: 60_000,
      env: {
        CALLS: `${folder}/calls`,
        FAIL: fail === "piped" ? "piped" : "",
        FAIL_AT: typeof fail === "number" ? String(fail) : "",
        HOME: `${root}/home`,
        REAL_PATH: Deno.env.get("PATH")!,
      },
    });
    const calls = readIfThere(`${folder}/calls`) ?? "";
    const status = readIfThere(`${folder}/status`);
    return {
      status: status === undefined ? undefined : Number(status),
      calls: calls.split("\n").filter((line) => line !== ""),
      files: new Map(filesIn(root)),
      stderr,
    };
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

/** The programs that a block calls only where another command fails. */
function fallbacksOf({ text }: Block): ReadonlySet<string> {
  return new Set([...text.matchAll(/\|\|\s*[({]?\s*([\w.-]+)/g)].map(([, name]) => name!));
}

async function checkBlock(block: Block, scene: Scene): Promise<void> {
  const all = await paste(block, scene);
  assertEquals(all.status, 0, `it does not run where nothing fails: ${all.stderr}`);
  const before = new Map(filesIn(`${scene.template}/root`));
  const kept = [...all.files.keys()].filter((path) =>
    IRREPLACEABLE.test(path) && all.files.get(path) !== before.get(path)
  );
  const assertKept = ({ files }: Outcome, when: string): void => {
    for (const path of kept) assertEquals(files.get(path), KEPT, `${path} changed ${when}`);
  };
  const fallbacks = fallbacksOf(block);
  const assertEnds = (outcome: Outcome, at: number): void => {
    const failed = outcome.calls[at - 1];
    assert(failed !== undefined);
    const later = outcome.calls.slice(at).filter((call) => !fallbacks.has(call.split(" ")[0]!));
    assertEquals(later, [], `these ran after the failure of: ${failed}`);
    assert(outcome.status !== undefined, `the failure of a command ends the shell: ${failed}`);
    assert(outcome.status !== 0, `the status is 0 after the failure of: ${failed}`);
  };
  for (let at = 1; at <= all.calls.length; at++) {
    assertEnds(await paste(block, scene, { fail: at }), at);
  }
  if (kept.length > 0) {
    const again = await paste(block, scene, { kept });
    assertKept(again, "in a second run");
    for (let at = 1; at <= again.calls.length; at++) {
      const outcome = await paste(block, scene, { fail: at, kept });
      assertEnds(outcome, at);
      assertKept(outcome, `where this failed: ${again.calls[at - 1]}`);
    }
  }
  if (marksOf(block.text).length > 0) {
    assertKept(await paste(block, scene, { fail: "piped", kept }), "where a pipeline failed");
  }
}

const BLOCKS = [...blocksOfPages("sh"), ...blocksOfComments()];

for (const shell of SHELLS) {
  Deno.test(`each block ends at its first failure, and loses nothing, in ${shell}`, async (t) => {
    await need([shell, "-c", "true"]);
    assert(BLOCKS.length > 40);
    await withFolder(async (template) => {
      await makeTemplate(template);
      for (const block of BLOCKS) {
        await t.step(titleOf(block), () => checkBlock(block, { shell, template }));
      }
    });
  });
}
