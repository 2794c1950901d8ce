/**
 * `deploy/install.sh` in folders of a test, and the way back that `docs/linux.md` shows.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { deployFile, shownBlock } from "../../support/deploy.ts";
import { withFolder } from "../../support/folder.ts";

const NAME = Deno.build.arch === "aarch64"
  ? "authenticator-linux-arm64-bun"
  : "authenticator-linux-x64-bun";

Deno.test("install.sh keeps the version before, however often it runs", () =>
  withFolder(async (folder) => {
    for (const name of ["download", "bin", "units", "stubs"]) {
      await Deno.mkdir(`${folder}/${name}`);
    }
    await Deno.writeTextFile(`${folder}/stubs/systemctl`, "#!/bin/sh\n", { mode: 0o755 });
    const here = (script: string): string =>
      script.replaceAll("/usr/local/bin", `${folder}/bin`)
        .replaceAll("/etc/systemd/system", `${folder}/units`);
    const run = async (script: string): Promise<void> => {
      const { code, stderr } = await runToEnd(["sh", "-ec", here(script)], {
        cwd: `${folder}/download`,
        env: { PATH: `${folder}/stubs:${Deno.env.get("PATH")}` },
      });
      assertEquals([code, stderr], [0, ""]);
    };
    const install = async (version: string): Promise<void> => {
      await Deno.writeTextFile(`${folder}/download/${NAME}`, `program ${version}`);
      await Deno.writeTextFile(`${folder}/download/authenticator.service`, `unit ${version}`);
      await Deno.writeTextFile(`${folder}/download/authenticator-as-service`, `script ${version}`);
      await run(`sha256sum * >SHA256SUMS\n${deployFile("install.sh")}`);
    };
    const installed = (): Readonly<Record<string, string>> =>
      Object.fromEntries(
        ["bin", "units"].flatMap((name) =>
          [...Deno.readDirSync(`${folder}/${name}`)].map((file) => [
            file.name,
            Deno.readTextFileSync(`${folder}/${name}/${file.name}`),
          ])
        ),
      );
    const one = {
      "authenticator": "program 1",
      "authenticator-as-service": "script 1",
      "authenticator.service": "unit 1",
    };
    await install("1");
    assertEquals(installed(), one);
    await install("1");
    assertEquals(installed(), one);
    const two = {
      "authenticator": "program 2",
      "authenticator-as-service": "script 2",
      "authenticator.old": "program 1",
      "authenticator.service": "unit 2",
      "authenticator.service.old": "unit 1",
    };
    for (let times = 0; times < 2; times++) {
      await install("2");
      assertEquals(installed(), two);
    }
    await run(shownBlock("docs/linux.md", "authenticator.old"));
    assertEquals(installed(), { ...one, "authenticator-as-service": "script 2" });
  }));
