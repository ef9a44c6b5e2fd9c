import { array, assert, property, string, constantFrom, oneof } from "fast-check";
import { expect, test } from "vitest";

import { TrueColourFilter } from "./true-colour.ts";

const escape = "\u001B";

test.each([
  [`${escape}[38;2;255;0;0mred`, `${escape}[38;5;196mred`],
  [`${escape}[1;48;2;0;0;255;4mblue`, `${escape}[1;48;5;21;4mblue`],
  [`${escape}[38:2::0:255:0mgreen`, `${escape}[38;5;46mgreen`],
  [`${escape}[38;2;128;128;128mgrey`, `${escape}[38;5;243mgrey`],
  [`${escape}[38;5;12;58;2;1;2;3mline`, `${escape}[38;5;12mline`],
  [`${escape}[31mas it is${escape}[2J`, `${escape}[31mas it is${escape}[2J`],
])("%j is %j", (text, drawn) => {
  expect(new TrueColourFilter().take(text)).toBe(drawn);
});

test("wherever a text is cut, it is drawn the same, and no 24-bit colour is left", () => {
  const part = oneof(constantFrom(`${escape}[`, "38;2;1;2;3", "48:2:9:9:9", "m", ";", escape, "a"), string());
  assert(
    property(array(part), (parts) => {
      const whole = new TrueColourFilter().take(`${parts.join("")}$`);
      const filter = new TrueColourFilter();
      const pieces = [...parts, "$"].map((each) => filter.take(each)).join("");
      expect(pieces).toBe(whole);
      expect(whole).not.toMatch(new RegExp(`${escape}\\[[\\d;:]*[34]8[;:]2[;:]\\d+[;:]\\d+[;:]\\d+m`, "u"));
    }),
  );
});
