// Codes of node-2fa for Base32 secrets, and whether it accepts codes of ours.
//
// Usage: node totp_node_2fa.cjs WINDOW < [["SECRET", "CODE"], ...]; prints [["ITS CODE", true], ...]

const { readFileSync } = require("node:fs");
const { generateToken, verifyToken } = require("node-2fa");

const answers = JSON.parse(readFileSync(0, "utf8")).map(([secret, code]) => [
  generateToken(secret).token,
  verifyToken(secret, code, Number(process.argv[2])) !== null,
]);
process.stdout.write(`${JSON.stringify(answers)}\n`);
