/**
 * The blocks of PowerShell that pages show are ones that PowerShell can read. They do not run: what they
 * call is only on Windows.
 *
 * @module
 */

import { assertEquals } from "@std/assert/equals";
import { runToEnd } from "../../support/child.ts";
import { DOTNET_ENV, dotnetTest, powershellWords } from "../../support/dotnet.ts";
import { blocksOfPages, titleOf } from "../../support/shell_blocks.ts";

/** Reads a list of texts as JSON, and writes the first error of each. */
const PARSE = `$blocks = [Console]::In.ReadToEnd() | ConvertFrom-Json
$errors = foreach ($block in $blocks) {
  $found = $null
  [void][Management.Automation.Language.Parser]::ParseInput($block, [ref]$null, [ref]$found)
  if ($found) { "$($found[0].Message)" } else { '' }
}
ConvertTo-Json @($errors)`;

dotnetTest("every block of PowerShell on a page can be parsed", async () => {
  const blocks = blocksOfPages("powershell");
  const words = await powershellWords("-NonInteractive", "-Command", PARSE);
  const input = JSON.stringify([...blocks.map(({ text }) => text), "& {"]);
  const { stdout, stderr } = await runToEnd(words, { input, env: DOTNET_ENV });
  const errors: string[] = JSON.parse(stdout || `["${stderr}"]`);
  assertEquals(errors.pop() !== "", true, "it says nothing of a block that is not whole");
  assertEquals(
    errors.flatMap((one, i) => one === "" ? [] : [`${titleOf(blocks[i]!)}: ${one}`]),
    [],
  );
});
