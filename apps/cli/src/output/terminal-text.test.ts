import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  displayWidth,
  escapeUnprintable,
  isPrintable,
  printableLine,
  printableText,
} from "./terminal-text.ts";

describe("printableLine", () => {
  test.each([
    ["an escape sequence", "\u001B[31mred\u001B[0m", String.raw`\u001b[31mred\u001b[0m`],
    ["a sequence that begins with one character of C1", "\u009B2J", String.raw`\u009b2J`],
    ["a bell and a backspace", "a\u0007\b", String.raw`a\u0007\u0008`],
    ["a mark that turns the writing around", "abc\u202Efdp.exe", String.raw`abc\u202efdp.exe`],
    ["line breaks of all sorts", "a\r\nb\tc\u2028d", String.raw`a b c\u2028d`],
    ["half a character", "a\uD800b", String.raw`a\ud800b`],
  ])("makes %s harmless", (_, text, shown) => {
    expect(printableLine(text)).toBe(shown);
  });

  test("leaves the writing of people as it is", () => {
    const text = "Grüße, 日本語, नमस्ते, 👩‍💻, e\u0301";
    expect(printableLine(text)).toBe(text);
  });

  test("never lets anything through", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(printableLine(text)).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(printableText(text)).not.toMatch(/[^\P{Cc}\n]/u);
      }),
    );
  });
});

test("printableText keeps lines", () => {
  expect(printableText("a\r\nb\u001Bc\nd")).toBe("a\nb\\u001bc\nd");
});

test("what is spelled out in JSON reads back as it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const json = escapeUnprintable(JSON.stringify(text));
      expect(JSON.parse(json)).toBe(text);
      expect(isPrintable(json)).toBe(true);
    }),
  );
});

test.each([
  ["plain", 5],
  ["", 0],
  ["Grüße", 5],
  ["e\u0301", 1],
  ["日本語", 6],
  ["ｱｲｳ", 3],
  ["ＡＢ", 4],
  ["한국", 4],
  ["👩‍💻", 2],
  ["🇩🇪", 2],
  ["a\u200Bb", 2],
])("%s takes %d columns", (text, width) => {
  expect(displayWidth(text)).toBe(width);
});
