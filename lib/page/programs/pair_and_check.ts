import { randomInt } from "node:crypto";
import process from "node:process";
import { createInterface } from "node:readline/promises";

const URL = "{{url}}";
const API_KEY = "{{apiKey}}"; // Empty where the server asks for none.
const APP_NAME = "Example Corp";
const ACCOUNT = "jane@example.com";
const USER_ADDRESS = "203.0.113.7"; // IP address of the user who types the pin.

interface Pairing {
  ManualSetupCode: string;
  Html: string;
}

async function call<Result>(
  operation: "Pair" | "ValidatePin",
  parameters: Record<string, string>,
): Promise<Result> {
  const reply = await fetch(`${URL}/${operation}`, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      "X-Api-Key": API_KEY,
      "X-Authenticator-Source": USER_ADDRESS,
    },
    body: JSON.stringify(parameters),
    signal: AbortSignal.timeout(10_000),
  });
  const answer = await reply.json() as { d: Result; Message?: string };
  if (!reply.ok) throw new Error(answer.Message);
  return answer.d;
}

// Keep the secret encrypted or sealed beside the account: each login needs it.
let secret = "{{secretStart}}";
while (secret.length < 32) secret += "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[randomInt(32)];

const names = { appName: APP_NAME, appInfo: ACCOUNT };
const pairing = await call<Pairing>("Pair", { ...names, secretCode: secret });
console.log("Setup key:", pairing.ManualSetupCode);
console.log("QR code for your page:", pairing.Html);

const terminal = createInterface({ input: process.stdin, output: process.stdout });
const pin = await terminal.question("Pin: ");
terminal.close();
const isRight = await call<boolean>("ValidatePin", { pin, secretCode: secret }) === true;
console.log(isRight ? "The pin is right." : "The pin is not right.");
