import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { Verbatim, type ConfigMap } from "./config-value.ts";
import { emitYaml } from "./emit-yaml.ts";

test("writes maps, lists and scalars in block style, and leaves out what is undefined", () => {
  const map: ConfigMap = {
    a: { b: undefined, c: "text", d: 1, e: true },
    list: [{ x: "1", z: ["p", ["q"]] }, {}, []],
    none: {},
    empty: [],
    kept: new Verbatim("1.10"),
  };
  expect(emitYaml(map)).toBe(
    [
      "a:",
      "  c: text",
      "  d: 1",
      "  e: true",
      "list:",
      '- x: "1"',
      "  z:",
      "  - p",
      "  - - q",
      "- {}",
      "- []",
      "none: {}",
      "empty: []",
      "kept: 1.10",
      "",
    ].join("\n"),
  );
});

test("an empty map is still a document", () => {
  expect(emitYaml({ a: undefined })).toBe("{}\n");
});

test.each([
  "30s",
  "$(SHARD);|.+;.+",
  "${1}://${2}${3}",
  "/etc/prometheus/certs/0_ns_name_ca.crt",
  "__address__",
])("%s needs no quotes", (text) => {
  expect(emitYaml({ text })).toBe(`text: ${text}\n`);
});

describe("any text", () => {
  const tricky = fc.constantFrom(
    "yes",
    "NO",
    "on",
    "~",
    "1e3",
    "0x1f",
    "12:30:45",
    "2001-01-01",
    "- a",
    "a: b",
    "a #b",
    "'",
    "=",
    "<<",
    "a:",
    "\u0085",
    "\u2028",
    "!x",
    "&a",
    "*a",
    "%",
    "@",
    "`",
    "|",
    ">",
  );
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme-ascii" }), tricky);

  test.each(["1.1", "1.2"] as const)("is read back as the same text by YAML %s", (version) => {
    fc.assert(
      fc.property(text, text, (key, value) => {
        // A reader cannot tell the merge key from any other use of its name.
        fc.pre(key !== "<<" && key !== "__proto__");
        const read: unknown = parse(emitYaml({ [key]: value, list: [value] }), { version });
        expect(read).toEqual({ [key.toWellFormed()]: value.toWellFormed(), list: [value.toWellFormed()] });
      }),
      { numRuns: 2000 },
    );
  });
});
