/**
 * Executables for the machines of users, and the programs that run them here: this machine, an ARM
 * processor by QEMU, Windows by Wine.
 *
 * @module
 */

import { fileURLToPath } from "node:url";
import { runToEnd } from "../../support/child.ts";
import { ROOT } from "../../support/pages.ts";

const COMPILE_MS = 600_000;

/** Machine of users. */
export interface Machine {
  /** Name, as `version` has it. */
  readonly target: string;
  /** Name of it for compile.sh. */
  readonly name: string;
  /** What needs to be installed, and a command that shows whether it is. */
  readonly needs: readonly [packages: string, ...command: string[]];
  /** Returns the words that run a program of the machine. */
  readonly run: (program: string, folder: string) => Promise<Words>;
}

/** Command line of a program of a machine. */
export interface Words {
  /** Words before the arguments. */
  readonly command: readonly string[];
  /** Environment variables. */
  readonly env: Readonly<Record<string, string>>;
}

/** Machines that can be tried here. */
export const MACHINES: readonly Machine[] = [
  {
    target: "linux-x64",
    name: "linux-x64",
    needs: ["qemu-user-static", "qemu-x86_64-static", "--version"],
    run: (program) => Promise.resolve({ command: [program], env: {} }),
  },
  {
    target: "linux-arm64",
    name: "linux-arm64",
    needs: ["qemu-user-static libc6-arm64-cross", "qemu-aarch64-static", "--version"],
    run: (program) =>
      Promise.resolve({
        command: ["qemu-aarch64-static", "-L", "/usr/aarch64-linux-gnu", program],
        env: {},
      }),
  },
  {
    target: "win32-x64",
    name: "windows-x64",
    needs: ["wine wine64 gcc-mingw-w64-x86-64-win32", "wine", "--version"],
    run: runByWine,
  },
];

async function runByWine(program: string, folder: string): Promise<Words> {
  const source = fileURLToPath(new URL("bcryptprimitives.c", import.meta.url));
  const library = `${program.replace(/[^/]*$/, "")}bcryptprimitives.dll`;
  const compile = ["x86_64-w64-mingw32-gcc", "-shared", "-s", "-o", library, source, "-ladvapi32"];
  const { code, stderr } = await runToEnd(compile);
  if (code !== 0) throw new Error(`the forwarder of bcryptprimitives: ${stderr}`);
  const env = {
    WINEPREFIX: `${folder}/wine`,
    WINEDLLOVERRIDES: "bcryptprimitives=n;mscoree,mshtml=",
    WINEDEBUG: "-all",
  };
  // Wine sets up its prefix at the first start.
  await runToEnd(["wine", program, "version"], { env });
  return { command: ["wine", program], env };
}

/**
 * Makes the executable of a machine in a folder.
 *
 * @returns The path of the executable.
 */
export async function compileFor({ name }: Pick<Machine, "name">, folder: string): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(
    ["./compile.sh", "--with", "bun", "--target", name],
    { cwd: ROOT, env: { DIST: folder }, deadlineMs: COMPILE_MS },
  );
  if (code !== 0) throw new Error(stdout + stderr);
  return `${folder}/authenticator-${name}${name.includes("windows") ? ".exe" : ""}`;
}
