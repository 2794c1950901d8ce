/**
 * Snippet for Go.
 *
 * @module
 */

import { KEEP_SECRET, type Language, linesOf, type SnippetCall, WITHOUT_SOAP } from "./language.ts";

/** Go. */
export const go: Language = {
  language: "Go",
  values: "c",
  needs: "Go 1.16 or later, nothing else",
  formats: WITHOUT_SOAP,
  secret: `	// ${KEEP_SECRET}
	random := make([]byte, 20)
	if _, err := rand.Read(random); err != nil {
		log.Fatal(err)
	}
	secret := base32.StdEncoding.EncodeToString(random)
	fmt.Println(secret)
`,
  write,
};

// Unwraps the error of HTTP GET: its text begins with the URL, which holds the secret.
function write(call: SnippetCall): string {
  const { secret, quote, isJson, isGet } = call;
  const imports = [
    ...(isJson ? ["bytes"] : []),
    ...(secret === "" ? [] : ["crypto/rand", "encoding/base32"]),
    isJson ? "encoding/json" : "encoding/xml",
    ...(isGet ? ["errors"] : []),
    "fmt",
    "io",
    "log",
    "net/http",
    ...(isJson ? [] : ["net/url"]),
    ...(isGet || isJson ? [] : ["strings"]),
    "time",
  ];
  const headers = call.headers.map((header) =>
    `	request.Header.Set(${header.map(quote).join(", ")})`
  );
  const [field, whole, keep] = isJson
    ? ["result.D.", "result.D", "	accepted := %"]
    : ["result.", "result.Value", '	accepted := % == "true"'];
  return `package main

import (
${linesOf(imports.map((name) => `	"${name}"`))})

func main() {
${secret}${bodyOf(call)}
	if err != nil {
		log.Fatal(err)
	}
${linesOf(headers)}	client := http.Client{Timeout: 10 * time.Second}
	reply, err := client.Do(request)
	if err != nil {
		log.Fatal(${isGet ? "errors.Unwrap(err)" : "err"})
	}
	defer reply.Body.Close()
	if reply.StatusCode != 200 {
		text, _ := io.ReadAll(reply.Body)
		log.Fatal(string(text))
	}
	var result ${typeOf(call)}
	if err := ${isJson ? "json" : "xml"}.NewDecoder(reply.Body).Decode(&result); err != nil {
		log.Fatal(err)
	}
${call.printing((name) => field + name, whole, "	fmt.Println(%)", keep)}
}`;
}

function bodyOf({ isJson, isGet, callUrl, lines, quote }: SnippetCall): string {
  const address = quote(callUrl);
  if (isJson) {
    return `	body, _ := json.Marshal(map[string]string{
${lines("\t\t// ", ([name, value]) => `		${quote(name)}: ${quote(value)},`)}
	})
	request, err := http.NewRequest("POST", ${address}, bytes.NewReader(body))`;
  }
  const made = isGet
    ? `"GET", ${quote(`${callUrl}?`)}+form.Encode(), nil`
    : `"POST", ${address}, strings.NewReader(form.Encode())`;
  return `	form := url.Values{
${lines("\t\t// ", ([name, value]) => `		${quote(name)}: {${quote(value)}},`)}
	}
	request, err := http.NewRequest(${made})`;
}

function typeOf({ isJson, fields }: SnippetCall): string {
  if (isJson) return `struct{ D ${fields ? `struct{ ${fields.join(", ")} string }` : "bool"} }`;
  const members = fields?.map((field) => [field, field]) ?? [["Value", ",chardata"]];
  return `struct {
${linesOf(members.map(([member, tag]) => `		${member} string \`xml:"${tag}"\``))}	}`;
}
