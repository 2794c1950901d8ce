/**
 * Snippet for Go.
 *
 * @module
 */

import {
  argumentLines,
  callUrl,
  headersOf,
  isForm,
  KEEP_SECRET,
  type Language,
  lines,
  linesOf,
  printing,
  type SnippetCall,
  WITHOUT_SOAP,
} from "./language.ts";

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
  const { format, secret, quote } = call;
  const isJson = format === "JSON";
  const imports = [
    ...(isJson ? ["bytes"] : []),
    ...(secret === "" ? [] : ["crypto/rand", "encoding/base32"]),
    isJson ? "encoding/json" : "encoding/xml",
    ...(format === "HTTP GET" ? ["errors"] : []),
    "fmt",
    "io",
    "log",
    "net/http",
    ...(isForm(call) ? ["net/url"] : []),
    ...(format === "HTTP POST" ? ["strings"] : []),
    "time",
  ];
  const { declared, printed } = resultOf(call);
  return `package main

import (
${lines(imports, (name) => `	"${name}"`)}
)

func main() {
${secret}${bodyOf(call)}
	if err != nil {
		log.Fatal(err)
	}
${
    linesOf(
      ...headersOf(call).map(([name, value]) =>
        `	request.Header.Set(${quote(name)}, ${quote(value)})`
      ),
    )
  }	client := http.Client{Timeout: 10 * time.Second}
	reply, err := client.Do(request)
	if err != nil {
		log.Fatal(${format === "HTTP GET" ? "errors.Unwrap(err)" : "err"})
	}
	defer reply.Body.Close()
	if reply.StatusCode != 200 {
		text, _ := io.ReadAll(reply.Body)
		log.Fatal(string(text))
	}
	var result ${declared}
	if err := ${isJson ? "json" : "xml"}.NewDecoder(reply.Body).Decode(&result); err != nil {
		log.Fatal(err)
	}
${printing(call, printed, "	fmt.Println(%)", `	accepted := %${isJson ? "" : ' == "true"'}`)}
}`;
}

function bodyOf(call: SnippetCall): string {
  const { format, quote } = call;
  const address = quote(callUrl(call));
  if (format === "JSON") {
    return `	body, _ := json.Marshal(map[string]string{
${argumentLines(call, "\t\t// ", ([name, value]) => `		${quote(name)}: ${quote(value)},`)}
	})
	request, err := http.NewRequest("POST", ${address}, bytes.NewReader(body))`;
  }
  const made = format === "HTTP GET"
    ? `"GET", ${quote(`${callUrl(call)}?`)}+form.Encode(), nil`
    : `"POST", ${address}, strings.NewReader(form.Encode())`;
  return `	form := url.Values{
${argumentLines(call, "\t\t// ", ([name, value]) => `		${quote(name)}: {${quote(value)}},`)}
	}
	request, err := http.NewRequest(${made})`;
}

interface GoResult {
  readonly declared: string;
  readonly printed: readonly string[];
}

function resultOf({ format, fields }: SnippetCall): GoResult {
  if (format === "JSON") {
    const type = fields === undefined ? "bool" : `struct{ ${fields.join(", ")} string }`;
    return {
      declared: `struct{ D ${type} }`,
      printed: fields?.map((field) => `result.D.${field}`) ?? ["result.D"],
    };
  }
  const members = fields?.map((field) => [field, field]) ?? [["Value", ",chardata"]];
  return {
    declared: `struct {
${lines(members, ([member, tag]) => `		${member} string \`xml:"${tag}"\``)}
	}`,
    printed: members.map(([member]) => `result.${member}`),
  };
}
