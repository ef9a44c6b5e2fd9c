import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hasOpening, textParts } from "./reference.ts";

const ref = (reference: string): object => ({ reference });
const literal = (text: string): object => ({ text });

describe("a text is taken apart", () => {
  test.each([
    ["plain", [literal("plain")]],
    ["", []],
    ["${{ a }}", [ref("a")]],
    ["${{a}}", [ref("a")]],
    ["${{\n  a_1\n}}", [ref("a_1")]],
    ["x-${{ a }}-${{ B }}", [literal("x-"), ref("a"), literal("-"), ref("B")]],
    ["${{ cluster.name }}", [ref("cluster.name")]],
    ["${{ cluster.region }}.", [ref("cluster.region"), literal(".")]],
    ["${{ cluster.labels.example.com/tier-1 }}", [ref("cluster.labels.example.com/tier-1")]],
    ["${{ cluster }}", [ref("cluster")]],
    ["$${{ a }}", [literal("${{ a }}")]],
    ["$$${{ a }}", [literal("$${{ a }}")]],
    ["x $${{ ${{ a }}", [literal("x ${{ "), ref("a")]],
    ["${{ a }}$${{", [ref("a"), literal("${{")]],
    ["${{ a }}}}", [ref("a"), literal("}}")]],
    ["$(POD) ${HOME} {{ .Values.x }} $ {{ }}", [literal("$(POD) ${HOME} {{ .Values.x }} $ {{ }}")]],
  ])("%j", (text, parts) => {
    expect(textParts(text)).toEqual(parts);
  });

  test.each([
    ["${{ a", /without }}/],
    ["${{ }}", /without a name/],
    ["${{}}", /without a name/],
    ["${{ a b }}", /has a reference that is neither a parameter nor/],
    ["${{ a-b }}", /refers to a-b, which is neither a parameter nor/],
    ["${{ 1a }}", /refers to 1a, which is neither/],
    ["${{ a.b }}", /refers to a\.b, which is neither/],
    ["${{ cluster.id }}", /refers to cluster\.id, which is neither/],
    ["${{ cluster.labels. }}", /refers to cluster\.labels\., which is neither/],
    ["${{ cluster.labels.a b }}", /has a reference that is neither/],
    ["${{ ${{ a }} }}", /has a reference that is neither/],
    ["${{ 'a' }}", /has a reference that is neither/],
    [`\${{ ${"a".repeat(64)} }}`, /is neither/],
  ])("%j is refused", (text, message) => {
    expect(textParts(text)).toContainEqual({ problem: expect.stringMatching(message) });
  });

  test("the text of a broken reference is not repeated where it could be anything", () => {
    expect(JSON.stringify(textParts("${{ my secret! }}"))).not.toContain("secret");
  });

  test("text without an opening stays as it is, and escaping brings any text back", () => {
    const texts = fc.string({
      unit: fc.constantFrom("$", "{", "{{", "}}", "a", " ", "${{", "."),
      maxLength: 20,
    });
    fc.assert(
      fc.property(texts, (text) => {
        const escaped = hasOpening(text) ? text.split("${{").join("$${{") : text;
        expect(textParts(escaped)).toEqual(text === "" ? [] : [{ text }]);
      }),
    );
  });
});
