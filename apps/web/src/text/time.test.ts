import { expect, test } from "vitest";

import { ageOf, formatTime, isZone } from "./time.ts";

const noon = Date.parse("2026-07-01T12:00:05Z");

test("a moment is written with its zone, in summer time where there is one", () => {
  expect(formatTime(noon, "UTC")).toBe("2026-07-01 12:00:05 UTC");
  expect(formatTime(noon, "Asia/Kolkata")).toBe("2026-07-01 17:30:05 GMT+5:30");
  expect(formatTime(Date.parse("2026-07-01T00:30:00Z"), "UTC")).toBe("2026-07-01 00:30:00 UTC");
});

test("a zone that does not exist is as none, and no moment is a dash", () => {
  expect(formatTime(noon, "Nowhere/Atall")).toBe(formatTime(noon));
  expect(formatTime(Number.NaN)).toBe("–");
  expect([isZone("Europe/Paris"), isZone("Nowhere/Atall"), isZone("")]).toEqual([true, false, false]);
});

test("an age is as the command line writes it", () => {
  expect(ageOf("2026-07-01T11:58:00Z", noon)).toBe("2m5s");
  expect(ageOf("2026-07-01T12:00:09Z", noon)).toBe("0s");
  expect([ageOf(undefined, noon), ageOf("soon", noon)]).toEqual(["–", "–"]);
});
