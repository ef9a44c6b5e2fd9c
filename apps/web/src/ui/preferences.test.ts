import { expect, test } from "vitest";

import { readPreferences } from "./preferences.ts";

const byDefault = { theme: "system", timeZone: "local", letterKeys: true };

test("choices are read back as they were kept", () => {
  const kept = { theme: "dark", timeZone: "Europe/Paris", letterKeys: false };
  expect(readPreferences(JSON.stringify(kept))).toEqual(kept);
});

test.each([null, "", "{", "[]", "null", '{"theme":"pink","timeZone":"Nowhere/Atall","letterKeys":"no"}'])(
  "what is no choice counts as none: %s",
  (text) => {
    expect(readPreferences(text)).toEqual(byDefault);
  },
);
