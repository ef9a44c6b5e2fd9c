import { assert, property, string, oneof, array, constantFrom } from "fast-check";
import { describe, expect, test } from "vitest";

import { ansiPieces, plainText } from "./ansi.ts";

const red = { foreground: 1 };

test.each([
  ["plain", [{ text: "plain", style: {} }]],
  [
    "\u001B[31mred\u001B[0m rest",
    [
      { text: "red", style: red },
      { text: " rest", style: {} },
    ],
  ],
  ["\u001B[1;91mloud", [{ text: "loud", style: { bold: true, foreground: 9 } }]],
  ["\u001B[38;5;1mred", [{ text: "red", style: red }]],
  ["\u001B[38;5;196mred", [{ text: "red", style: { foreground: 9 } }]],
  ["\u001B[38;2;200;10;10;4mred", [{ text: "red", style: { foreground: 9, underline: true } }]],
  ["\u001B[48:5:4mblue\u001B[49m", [{ text: "blue", style: { background: 4 } }]],
  ["\u009B31mred", [{ text: "red", style: red }]],
])("%j looks like %j", (line, pieces) => {
  expect(ansiPieces(line)).toEqual(pieces);
});

describe("everything else that is for a terminal", () => {
  test.each([
    ["a title", "\u001B]0;root@prod\u0007text", "text"],
    ["the clipboard", "\u001B]52;c;cm0gLXJm\u001B\\text", "text"],
    ["a link", "\u001B]8;;https://evil.example\u001B\\click\u001B]8;;\u001B\\", "click"],
    ["a string without an end", "text\u001BPq#0;1", "text"],
    ["cursor and screen", "a\u001B[2J\u001B[10;10Hb\u001B[?25l", "ab"],
    ["a question that would be answered by typing", "\u001B[6n\u001B[ctext", "text"],
    ["a character set", "\u001B(0text\u001B7", "text"],
    ["a bell, and backspaces over what was said", "rm\b\b\u0007ls", "rm␈␈␇ls"],
    ["a sequence that ends with the line", "text\u001B[", "text"],
    ["tabs and the end of a line from elsewhere", "a\tb\r", "a    b"],
    ["a return in the middle", "10%\r20%", "10%␍20%"],
  ])("%s: is dropped, or seen", (_, line, shown) => {
    expect(plainText(line)).toBe(shown);
  });
});

test("a long line is cut, and says how long it is", () => {
  expect(plainText("x".repeat(30_000))).toBe(`${"x".repeat(20_000)}… (30000 characters)`);
});

test("nothing that cannot be seen survives, whatever is written", () => {
  const escape = constantFrom(
    "\u001B",
    "\u001B[",
    "\u009B",
    "\u001B]",
    "\u0007",
    "\u001B\\",
    "m",
    ";",
    "31",
    "\r",
    "\t",
  );
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code));
  const line = array(oneof(escape, string({ unit: "binary" }), string({ unit: constantFrom(...controls) })));
  assert(
    property(line, (parts) => {
      const text = parts.join("");
      const pieces = ansiPieces(text);
      expect(pieces.map((piece) => piece.text).join("")).not.toMatch(/\p{Cc}|\p{Cs}|\u202E|\u200B/u);
      expect(pieces.map((piece) => piece.text).join("")).toBe(plainText(text));
    }),
  );
});
