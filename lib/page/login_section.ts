/**
 * Steps of a login that uses the operations, with the programs for them.
 *
 * @module
 */

import type { Operation } from "../operations/operations.ts";
import { choices } from "./choices.ts";
import type { PageContext } from "./service_page.ts";
import { marked, pane, section } from "./layout/components.ts";
import { type Markup, markup } from "./markup.ts";
import { LANGUAGE_NAMES, snippetIn } from "./snippets/snippets.ts";

/** Writes the steps of a login beside the programs of its calls. */
export function loginSection(operations: readonly Operation[], context: PageContext): Markup {
  const { op, format, language } = context;
  const snippets = operations.map((operation) => ({
    name: operation.name,
    steps: operation.result.kind === "record" ? "Steps 1 and 2" : "Steps 3 and 4",
    ...snippetIn(language, operation, context, format),
  }));
  return section(
    "login",
    "Build the login",
    "Five steps from these two calls to a two-factor login. Keep real secrets out of " +
      "your source code.",
    markup`
    <div class="columns">
      ${stepsOf(context)}
      <div class="code swap" id="login-code">
        ${choices("Language", LANGUAGE_NAMES, context, { of: "the login", op, fragment: "login" })}
        <p class="hint">Needs ${snippets[0]!.needs}</p>
        ${
      snippets.map(({ name, steps, values, pieces }) =>
        pane(
          { id: `login-${name}`, title: `${steps}: ${name} in ${language}`, values },
          marked(pieces),
        )
      )
    }
      </div>
    </div>`,
  );
}

function stepsOf({ singleUse, maxFailures }: PageContext): Markup {
  const throttled = maxFailures > 0
    ? `After ${maxFailures} wrong pins this server refuses all pins of the secret for a while. ` +
      "Send the user's address as X-Authenticator-Source, so that no guesser locks the user out."
    : "This server does not count wrong pins: count them, and lock the account.";
  const used = singleUse
    ? "Each code is accepted once."
    : "A code is accepted as often as it is sent while it is valid.";
  return markup`
    <ol class="text steps">
      <li><strong>Make a random secret</strong> for each user, with the random numbers of your
        platform for cryptography. Keep it encrypted beside the account.</li>
      <li><strong>Call Pair</strong> and show its Html, the QR code, on the user's settings page,
        over HTTPS only. Give each account other names: some apps replace an entry of the same
        name, and its secret is lost.</li>
      <li><strong>Ask for the first pin</strong> and call ValidatePin. Only when it is right, switch
        two-factor login on, or to the new secret: the app has it now.</li>
      <li><strong>Check a pin at each login,</strong> after the password. Take only true as a yes;
        refuse everything else, and an error too. ${throttled} ${used}</li>
      <li><strong>Prepare for lost phones:</strong> give the user recovery codes for one use each,
        let them scan the same QR code with a second device, or pair that one with a secret of its
        own and accept a pin of either. If many right pins are false, look at the clocks.</li>
    </ol>`;
}
