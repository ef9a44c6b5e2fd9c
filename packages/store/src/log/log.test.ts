import { expect, test } from "vitest";

import { parseRevision, requireKept } from "./log.ts";

test("a resourceVersion is the number that the server gave out", () => {
  expect(parseRevision("0")).toBe(0);
  expect(parseRevision("42")).toBe(42);
});

test.each(["", "x", "-1", "1.5", "1e3", " 1", "99999999999999999", "9007199254740993"])(
  "%j is none",
  (resourceVersion) => {
    expect(() => parseRevision(resourceVersion)).toThrow(
      expect.objectContaining({ code: "InvalidArgument" }),
    );
  },
);

test("what is deleted, and what a restored database never had, is expired", () => {
  const bounds = { compacted: 3, head: 5 };
  for (const kept of [3, 4, 5]) expect(() => requireKept(kept, bounds)).not.toThrow();
  for (const gone of [2, 6]) {
    expect(() => requireKept(gone, bounds)).toThrow(
      expect.objectContaining({ code: "Expired", details: { oldest: "3", newest: "5" } }),
    );
  }
});
