import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

import { isPrintable } from "./terminal-text.ts";
import { toYaml } from "./to-yaml.ts";

/** Everything that ever made YAML read something else than was written. */
const tricky = [
  ["", " ", "~", "null", "yes", "No", "on", "010", "0o7", "1_000", "1e3", ".inf", "12:30:45", "0x1F"],
  ["2026-01-31", "- a", "a: b", "# no", "%", "@", "`", "|", ">", "&a", "*a", "!t", "---", "...", "? x", "<<"],
  ["\u0085", "\u2028", "\uFEFF", "\u001B[2J", "\u009B1m", "\u202Etxt", "\t", "\r", "\r\n", "\uD800"],
  ["a\n", "\na", "a\n\n", " a\n b", "a \n b\t\n", "\ta", "a\t", "key:\n\t- tab\n", "a\n---\nb\n"],
].flat();

const trickyText = fc.oneof(
  fc.constantFrom(...tricky),
  fc.string({ unit: fc.constantFrom("\n", " ", "\t", "a", ":", "#", "-", "'", '"', "\\", "é", "🦀") }),
  fc.string({ unit: "binary" }),
);

describe("toYaml", () => {
  test("prints any text such that parsers of both versions of YAML read it back the same", () => {
    fc.assert(
      fc.property(fc.dictionary(trickyText, fc.oneof(trickyText, fc.array(trickyText))), (value) => {
        const yaml = toYaml(value);
        expect(parse(yaml)).toEqual(value);
        expect(parse(yaml, { version: "1.1" })).toEqual(value);
        expect(isPrintable(yaml)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("quotes what older parsers take for something else", () => {
    expect(toYaml({ a: "yes", b: "010", c: "1:30", d: true, e: "plain" })).toBe(
      'a: "yes"\nb: "010"\nc: "1:30"\nd: true\ne: plain\n',
    );
  });

  test("keeps several lines readable, even with tabs in them", () => {
    expect(toYaml({ manifests: "kind: A\n---\nscript: |\n\tmake\n" })).toBe(
      "manifests: |\n  kind: A\n  ---\n  script: |\n  \tmake\n",
    );
  });
});
