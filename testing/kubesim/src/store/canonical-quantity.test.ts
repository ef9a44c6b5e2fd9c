import { describe, expect, it } from "vitest";

import { canonicalQuantity } from "./canonical-quantity.ts";

describe("quantities", () => {
  it.each([
    ["0", "0"],
    ["0.5", "500m"],
    ["1.5", "1500m"],
    ["1500m", "1500m"],
    ["2000m", "2"],
    ["1000", "1k"],
    ["1024", "1024"],
    ["4000000000", "4G"],
    ["1024Mi", "1Gi"],
    ["1.5Gi", "1536Mi"],
    ["0.5Ki", "512"],
    ["512Mi", "512Mi"],
    ["1e3", "1e3"],
    ["100e-3", "100e-3"],
    ["12e4", "120e3"],
    [".5", "500m"],
    ["+1", "1"],
    ["-1000", "-1k"],
    ["0.0000000001", "1n"],
    ["1000E", "1000E"],
  ])("%s is written %s", (given, written) => {
    expect(canonicalQuantity(given)).toBe(written);
  });

  it.each(["", "abc", "1Xi", ".", "1e999999999", "9".repeat(100)])("leaves %j alone", (given) => {
    expect(canonicalQuantity(given)).toBe(given);
  });
});
