import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { jsonErrorOffset } from "./json-error-offset.ts";

describe("jsonErrorOffset", () => {
  test.each([
    ["", 0],
    ["  ", 2],
    ["{", 1],
    ['{"a"', 4],
    ['{"a":', 5],
    ['{"a":1', 6],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1 2]", 3],
    ["[1}", 2],
    ["{]", 1],
    ["]", 0],
    ["nul", 0],
    ["01", 1],
    ["1 2", 2],
    ['"a\nb"', 2],
    ['"a\\x"', 2],
    ['"\\u12g4"', 1],
    ['{"a":tru}', 5],
    ["{a:1}", 1],
    ['"open', 5],
  ])("%j", (text, offset) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError);
    expect(jsonErrorOffset(text)).toBe(offset);
  });

  test("does not mind depth", () => {
    expect(jsonErrorOffset("[".repeat(100_000))).toBe(100_000);
  });

  test("agrees with JSON.parse on what is JSON, whatever is changed in it", () => {
    const mutation = fc.record({
      value: fc.jsonValue({ maxDepth: 4 }),
      indent: fc.nat(2),
      at: fc.nat(200),
      removed: fc.nat(3),
      added: fc.string({
        unit: fc.constantFrom(...Array.from('{}[],:"\\ \n\t0.1eE-+tfn\u0001')),
        maxLength: 3,
      }),
    });
    fc.assert(
      fc.property(mutation, ({ value, indent, at, removed, added }) => {
        const json = JSON.stringify(value, null, indent);
        const start = Math.min(at, json.length);
        const text = json.slice(0, start) + added + json.slice(start + removed);
        const offset = jsonErrorOffset(text);
        expect(offset === undefined).toBe(isJson(text));
        expect(offset ?? 0).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 2_000 },
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
