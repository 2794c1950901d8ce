import { assertEquals } from "@std/assert/equals";
import { assertThrows } from "@std/assert/throws";
import { MAX_JSON_DEPTH, readJsonObject } from "../../../lib/bindings/json_reader.ts";
import { Fault } from "../../../lib/operations/fault.ts";

function valuesOf(text: string): readonly (readonly [string, unknown])[] {
  return readJsonObject(text).map(({ name, value }) => [name, value]);
}

const READ: readonly (readonly [text: string, members: readonly (readonly [string, unknown])[]])[] =
  [
    ["{}", []],
    [" \t\r\n{ } \n", []],
    ['{"a":"b"}', [["a", "b"]]],
    ["{'a':'b'}", [["a", "b"]]],
    ["{a:'b' , \"c\" : 'd'}", [["a", "b"], ["c", "d"]]],
    ["{$a_1.b-c:1,1:2,ü:3}", [["$a_1.b-c", "1"], ["1", "2"], ["ü", "3"]]],
    [`{"a":"it's",'b':'say "x"'}`, [["a", "it's"], ["b", 'say "x"']]],
    [String.raw`{"a":"\"\'\\\/\b\f\n\r\t\u00FC\ud83d\uDD11"}`, [["a", "\"'\\/\b\f\n\r\tü🔑"]]],
    [String.raw`{"\u0061'":'\u0027'}`, [["a'", "'"]]],
    ["{a:012345,b:-0,c:+1.50,d:1e5,e:.5,f:2.,g:1E+2}", [
      ["a", "012345"],
      ["b", "-0"],
      ["c", "+1.50"],
      ["d", "1e5"],
      ["e", ".5"],
      ["f", "2."],
      ["g", "1E+2"],
    ]],
    ["{a:null,b:true,c:false,null:null}", [["a", null], ["b", true], ["c", false], ["null", null]]],
    ["{a:{},b:[],c:1}", [["a", undefined], ["b", undefined], ["c", "1"]]],
    ["{a:[1,[2,{b:'}]',c:[]}],{}] ,d:{e:{f:null}, g:1}\n}", [["a", undefined], ["d", undefined]]],
    ['{"a":1,"a":2}', [["a", "1"], ["a", "2"]]],
    ["{a:'\x7f\u2028'}", [["a", "\x7f\u2028"]]],
  ];

for (const [text, members] of READ) {
  Deno.test(`readJsonObject() reads ${JSON.stringify(text)}`, () => {
    assertEquals(valuesOf(text), members);
    // The same inside of a member, which is passed over.
    assertEquals(valuesOf(`{x:[${text.trim()}],y:1}`), [["x", undefined], ["y", "1"]]);
  });
}

Deno.test("readJsonObject() has the names inside of each member, at any depth", () => {
  const members = readJsonObject("{a:{b:{'c':1},d:[{e:{}},[{f:2}]]},g:1,h:[]}");
  assertEquals(members.map(({ name, nestedNames }) => [name, ...nestedNames]), [
    ["a", "b", "c", "d", "e", "f"],
    ["g"],
    ["h"],
  ]);
});

const NO_NAME = "The name of a member was expected";
const NO_VALUE = "A value was expected";
const NO_COMMA = "A comma or the end of an object or array was expected";
const NOT_QUOTED = "A value is not in quotes, and no number";
const CONTROL = "A text holds a control character that is not escaped";
const ESCAPE = "An escape is not one of JSON";
const OBJECT = "The body must be a JSON object with the parameters";

const REFUSED: readonly (readonly [text: string, message: string, line: number, column: number])[] =
  [
    ["[]", OBJECT, 1, 1],
    [" \n 'a'", OBJECT, 2, 2],
    ["{", NO_NAME, 1, 2],
    ["{a:1,}", NO_NAME, 1, 6],
    ["{,a:1}", NO_NAME, 1, 2],
    ["{a:1,/**/b:2}", NO_NAME, 1, 6],
    ["{a:1}//", "The body holds more than one JSON object", 1, 6],
    ["{}{}", "The body holds more than one JSON object", 1, 3],
    ["{a}", "A colon was expected", 1, 3],
    ["{a b:1}", "A colon was expected", 1, 4],
    ["{a:}", NO_VALUE, 1, 4],
    ["{a:1 b:2}", NO_COMMA, 1, 6],
    ["{a:1\r\n;b:2}", NO_COMMA, 2, 1],
    ["{a:[1,]}", NO_VALUE, 1, 7],
    ["{a:[,1]}", NO_VALUE, 1, 5],
    ["{a:[1}", NO_COMMA, 1, 6],
    ["{a:{b:1]}", NO_COMMA, 1, 8],
    ["{a:{b:1,}}", NO_NAME, 1, 9],
    ["{a:{1}}", "A colon was expected", 1, 6],
    ["{a:undefined}", NOT_QUOTED, 1, 4],
    ["{a:nullx}", NOT_QUOTED, 1, 4],
    ["{a:True}", NOT_QUOTED, 1, 4],
    ["{a:0x10}", NOT_QUOTED, 1, 4],
    ["{a:1e}", NOT_QUOTED, 1, 4],
    ["{a:--1}", NOT_QUOTED, 1, 4],
    ["{a:-}", NOT_QUOTED, 1, 4],
    ["{a:1e+}", NOT_QUOTED, 1, 4],
    ["{a:1_0}", NOT_QUOTED, 1, 4],
    ["{a:٣}", NOT_QUOTED, 1, 4],
    ["{a:NaN}", NOT_QUOTED, 1, 4],
    ["{a:1 2}", NO_COMMA, 1, 6],
    ['{a:"a"1}', NO_COMMA, 1, 7],
    ["{a:.}", NOT_QUOTED, 1, 4],
    ["{a:1.2.3}", NOT_QUOTED, 1, 4],
    ["{a:'b", "A text is not closed", 1, 6],
    ["{a:'b\"}", "A text is not closed", 1, 8],
    ["{a:'🔑\n'}", CONTROL, 1, 6],
    ["{a:'\0'}", CONTROL, 1, 5],
    ["{a:'\\x'}", ESCAPE, 1, 5],
    ["{a:'\\u12g4'}", ESCAPE, 1, 5],
    ["{a:'\\", ESCAPE, 1, 5],
  ];

for (const [text, message, line, column] of REFUSED) {
  Deno.test(`readJsonObject() refuses ${JSON.stringify(text)} with its place`, () => {
    const fault = assertThrows(() => readJsonObject(text), Fault);
    assertEquals(fault.code, "unreadable");
    assertEquals(fault.message, `${message} (line ${line}, column ${column}).`);
  });
}

Deno.test("readJsonObject() refuses an empty text", () => {
  for (const text of ["", " \r\n"]) {
    assertThrows(() => readJsonObject(text), Fault, "The body is empty; it must be a JSON object.");
  }
});

Deno.test(`readJsonObject() passes over values nested ${MAX_JSON_DEPTH} deep, and no deeper`, () => {
  for (const [open, close] of [["[", "]"], ["{a:", "}"]] as const) {
    const nested = (depth: number): string =>
      `{x:${open.repeat(depth)}1${close.repeat(depth)},y:1}`;
    assertEquals(valuesOf(nested(MAX_JSON_DEPTH)).length, 2);
    assertThrows(() => readJsonObject(nested(MAX_JSON_DEPTH + 1)), Fault, "nested more than 64");
  }
});
