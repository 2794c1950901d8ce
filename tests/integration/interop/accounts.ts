/** Accounts of many kinds, and the Key URI of each by a construction of the tests' own. */

import { referenceBase32 } from "../../support/reference_base32.ts";

/** What is paired. */
export interface Account {
  readonly appName: string;
  readonly appInfo: string;
  readonly secretCode: string;
  /** The two names in the Key URI, where they are others because of colons. */
  readonly uriNames?: readonly [issuer: string, account: string];
}

/** The accounts; no two are alike. */
export const ACCOUNTS: readonly Account[] = [
  account("Contoso", "anna"),
  account("Contoso", "anna.schmidt@example.com"),
  account("Contoso Ltd", "Anna Schmidt"),
  account("A", "b"),
  account("0", "1"),
  account("12345678", "00000000"),
  account("CONTOSO", "CONTOSO\\anna"),
  account("example.com", "https://example.com/anna?x=1&y=2#z", [
    "example.com",
    "https-//example.com/anna?x=1&y=2#z",
  ]),
  account("a+b", "anna+work@example.com"),
  account("100%", "50%25 %zz %u0041"),
  account("~-_.", "!*'()"),
  account("Tom & Jerry", "R&amp;D &lt;x&gt; &#65;"),
  account("O'Neil's", "d'Artagnan"),
  account('The "Shop"', '"anna"'),
  account("<script>alert(1)</script>", "<b>anna</b>"),
  account("' onmouseover='alert(1)", '" onmouseover="alert(1)'),
  account("'><img src=x onerror=alert(1)>", "</a></svg><!-- ]]>"),
  account("`backtick`", "{{mustache}} ${template}"),
  account("a=b", "c=d;e=f,g"),
  account("[brackets]", "{braces}|pipe^caret"),
  account("slash/back\\slash", "question?mark#hash"),
  account("  blanks around  ", "  and  between  "),
  account("tab\tinside", "line\nbreak"),
  account("no\u00A0break", "zero\u200Bwidth\u2009thin"),
  account("Bank: Berlin", "anna", ["Bank Berlin", "anna"]),
  account("a:b", "c:d", ["a-b", "c-d"]),
  account(":Contoso:", "::", ["Contoso", "-"]),
  account("Contoso :: Ltd", "anna:1", ["Contoso - Ltd", "anna-1"]),
  account("Zażółć", "gęślą jaźń"),
  account("Bücher & Söhne", "Jürgen Groß"),
  account("Ελληνικά", "Ωμέγα"),
  account("Русский", "Анна Шмидт"),
  account("עברית", "חנה"),
  account("العربية", "آنا ١٢٣"),
  account("हिन्दी", "अन्ना"),
  account("ไทย", "แอนนา"),
  account("株式会社例", "山田 太郎"),
  account("例え@例え.jp", "用户一"),
  account("한국어", "김안나"),
  account("e\u0301 decomposed", "\u00E9 composed"),
  account("🔑", "🙂🙃"),
  account("👩‍👩‍👧‍👦 family", "🏳️‍🌈 flag 🇵🇱"),
  account("𝒜𝓃𝓃𝒶", "𐍈𐍉"),
  account("ﬁ ligature", "Ａ full width"),
  account("x".repeat(256), "anna"),
  account("Contoso", "y".repeat(256)),
  account("X".repeat(256), "9".repeat(256)),
  account("é".repeat(60), "ß".repeat(120)),
  account("鍵".repeat(40), "🔑".repeat(60)),
  account("Contoso", "é".repeat(256)),
  // Too long for error correction level M.
  account("é".repeat(200), "ü".repeat(256)),
  { ...account("Contoso", "short secret"), secretCode: "s" },
  { ...account("Contoso", "long secret"), secretCode: "0123456789abcdef".repeat(16) },
  { ...account("Contoso", "blank secret"), secretCode: "  \t " },
  { ...account("Contoso", "secret of any characters"), secretCode: "pa:ss wörd&<>\"'%+🔑" },
];

function account(appName: string, appInfo: string, uriNames?: [string, string]): Account {
  const secretCode = `secret of ${appInfo.slice(0, 8)}`;
  return { appName, appInfo, secretCode, ...(uriNames === undefined ? {} : { uriNames }) };
}

/** Issuer and account as the Key URI has them. */
export function namesInUri(
  { appName, appInfo, uriNames = [appName, appInfo] }: Account,
): readonly [issuer: string, account: string] {
  return uriNames;
}

/** The Key URI of an account at the parameters that a server has by default. */
export function keyUriOf(account: Account): string {
  const [issuer, name] = namesInUri(account).map(percentEncode);
  const secret = referenceBase32(account.secretCode);
  return `otpauth://totp/${issuer}:${name}?secret=${secret}&issuer=${issuer}`;
}

// All but the unreserved characters of RFC 3986 §2.3, byte by byte.
function percentEncode(text: string): string {
  const unreserved = /[A-Za-z0-9\-._~]/;
  return Array.from(new TextEncoder().encode(text), (byte) => {
    const character = String.fromCharCode(byte);
    if (unreserved.test(character)) return character;
    return `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }).join("");
}
