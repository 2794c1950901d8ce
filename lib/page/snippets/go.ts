/**
 * Snippet for Go.
 *
 * @module
 */

import {
  callUrl,
  envelopeOf,
  FORMATS,
  headersOf,
  isForm,
  type Language,
  lines,
  linesOf,
  printing,
  quoted,
  type SnippetCall,
} from "./language.ts";

/** Go. */
export const go: Language = {
  language: "Go",
  values: "c",
  needs: "Go 1.16 or later, nothing else",
  formats: FORMATS,
  write,
};

function write(call: SnippetCall): string {
  const { format, soap } = call;
  const imports = [
    ...(isForm(call) ? [] : ["bytes"]),
    ...(format === "JSON" ? ["encoding/json"] : ["encoding/xml"]),
    "fmt",
    "io",
    "log",
    "net/http",
    ...(isForm(call) ? ["net/url"] : []),
    ...(format === "HTTP POST" ? ["strings"] : []),
  ];
  const { declared, printed } = resultOf(call);
  const isJson = format === "JSON";
  return `package main

import (
${lines(imports, (name) => `	"${name}"`)}
)

func main() {
${bodyOf(call)}
	if err != nil {
		log.Fatal(err)
	}
${
    linesOf(
      ...headersOf(call).map(([name, value]) =>
        `	request.Header.Set(${quoted(name)}, ${quoted(value)})`
      ),
    )
  }	reply, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
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
}${
    soap === undefined ? "" : `

func escape(value string) string {
	var text bytes.Buffer
	xml.EscapeText(&text, []byte(value))
	return text.String()
}`
  }`;
}

function bodyOf(call: SnippetCall): string {
  const { args, format, soap } = call;
  const address = quoted(callUrl(call));
  if (soap !== undefined) {
    const [before, behind] = envelopeOf(call, soap);
    return `	body := ${quoted(before)} +
${lines(args, ([name, value]) => `		"<${name}>" + escape(${quoted(value)}) + "</${name}>" +`)}
		${quoted(behind)}
	request, err := http.NewRequest("POST", ${address}, bytes.NewBufferString(body))`;
  }
  if (format === "JSON") {
    return `	body, _ := json.Marshal(map[string]string{
${lines(args, ([name, value]) => `		${quoted(name)}: ${quoted(value)},`)}
	})
	request, err := http.NewRequest("POST", ${address}, bytes.NewReader(body))`;
  }
  const made = format === "HTTP GET"
    ? `"GET", ${quoted(`${callUrl(call)}?`)}+form.Encode(), nil`
    : `"POST", ${address}, strings.NewReader(form.Encode())`;
  return `	form := url.Values{
${lines(args, ([name, value]) => `		${quoted(name)}: {${quoted(value)}},`)}
	}
	request, err := http.NewRequest(${made})`;
}

interface GoResult {
  readonly declared: string;
  readonly printed: readonly string[];
}

function resultOf({ name, format, fields, soap }: SnippetCall): GoResult {
  if (format === "JSON") {
    const type = fields === undefined ? "bool" : `struct{ ${fields.join(", ")} string }`;
    return {
      declared: `struct{ D ${type} }`,
      printed: fields?.map((field) => `result.D.${field}`) ?? ["result.D"],
    };
  }
  const path = soap === undefined ? "" : `Body>${name}Response>${name}Result`;
  const members = fields?.map((field) => [field, path === "" ? field : `${path}>${field}`]) ??
    [["Value", path === "" ? ",chardata" : path]];
  return {
    declared: `struct {
${lines(members, ([member, tag]) => `		${member} string \`xml:"${tag}"\``)}
	}`,
    printed: members.map(([member]) => `result.${member}`),
  };
}
