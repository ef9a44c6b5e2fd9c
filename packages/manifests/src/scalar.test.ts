import { describe, expect, test } from "vitest";

import { parseManifests } from "./parse-manifests.ts";
import { resolvePlain, resolveTagged } from "./scalar.ts";

describe("a plain scalar is read as kubectl reads it", () => {
  // Each line was printed by `kubectl label --local -o json` for a field that takes any value.
  test.each<[string, string | number | boolean | null]>([
    ["yes", true],
    ["y", true],
    ["Y", true],
    ["on", true],
    ["Off", false],
    ["n", false],
    ["NO", false],
    ["oN", "oN"],
    ["True", true],
    ["tRUE", "tRUE"],
    ["~", null],
    ["Null", null],
    ["nULL", "nULL"],
    ["", null],
    ["0644", 420],
    ["-0644", -420],
    ["0o17", 15],
    ["0O17", 15],
    ["0o8", "0o8"],
    ["00", 0],
    ["007", 7],
    ["08", 8],
    ["0_7", 7],
    ["0_8", 8],
    ["0x1F", 31],
    ["0X1f", 31],
    ["-0x1F", -31],
    ["0x", "0x"],
    ["0b11", 3],
    ["0B11", 3],
    ["-0b1", -1],
    ["0b12", "0b12"],
    ["0b", "0b"],
    ["1_000", 1000],
    ["1__0", 10],
    ["-_1", -1],
    ["1_0.5", 10.5],
    ["+5", 5],
    ["-0", 0],
    ["-0.0", 0],
    [".5", 0.5],
    ["+.5", 0.5],
    ["-.5", -0.5],
    [".5_0", 0.5],
    ["5.", 5],
    ["1.0", 1],
    ["1e3", 1000],
    ["1e+3", 1000],
    ["1.5e3", 1500],
    ["0.1e-2", 0.001],
    ["1e", "1e"],
    ["1e400", "1e400"],
    ["+", "+"],
    ["=", "="],
    ["1:30", "1:30"],
    ["1.5.2", "1.5.2"],
    ["infinity", "infinity"],
    ["2001-01-01", "2001-01-01"],
    ["2001-01-01T00:00:00Z", "2001-01-01T00:00:00Z"],
  ])("%j is %j", (source, expected) => {
    expect(resolvePlain(source)).toBe(expected);
  });

  test.each([
    ["'yes'", "yes"],
    ['"0644"', "0644"],
    ["!!str 5", "5"],
    ["! 5", "5"],
    ['!!int "5"', 5],
    ["!!float 5", 5],
    ["!!bool yes", true],
    ["!!null ~", null],
    ["!<tag:yaml.org,2002:int> 7", 7],
  ])("and %s is %j", (source, expected) => {
    const text = `apiVersion: v1\nkind: A\nmetadata: {name: a}\nvalue: ${source}\n`;
    expect(parseManifests(text)).toMatchObject({ problems: [], objects: [{ value: expected }] });
  });
});

describe("refuses what would silently become something else", () => {
  test.each([
    [".inf", /infinity/],
    ["-.Inf", /infinity/],
    [".NaN", /not-a-number/],
    ["9007199254740993", /above 9007199254740991 cannot be kept exactly/],
    ["-9007199254740993", /cannot be kept exactly/],
    ["0xFFFFFFFFFFFFFFFFFF", /cannot be kept exactly/],
    ["0777777777777777777777777", /cannot be kept exactly/],
  ])("%s", (source, message) => {
    expect(resolvePlain(source)).toEqual({ refused: expect.stringMatching(message) });
  });

  test.each([
    ["!!binary", "aGk=", /expects the base64 text itself/],
    ["!!int", "five", /not what its tag says/],
    ["!!int", "1.5", /not what its tag says/],
    ["!!float", ".inf", /infinity/],
    ["!!timestamp", "2001-01-01", /remove the tag/],
    ["!vault", "x", /remove the tag/],
    ["!!python/object", "x", /remove the tag/],
  ])("%s %s", (tag, source, message) => {
    expect(resolveTagged(tag, source)).toEqual({ refused: expect.stringMatching(message) });
  });
});
