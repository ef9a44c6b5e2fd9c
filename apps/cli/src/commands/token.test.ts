import { roles } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { runBowline } from "../testing/run-bowline.ts";
import { parseExpiry } from "./token.ts";

test("the roles of the flag are those of the API", async () => {
  const { out } = await runBowline(["token", "create", "--help"], { isTty: true, columns: 200 });
  expect(out).toContain(`(choices: ${roles.map((role) => `"${role}"`).join(", ")})`);
});

describe("when a token expires", () => {
  const nowMs = Date.UTC(2026, 0, 1);

  test.each([
    ["12h", "2026-01-01T12:00:00.000Z"],
    ["1h30m", "2026-01-01T01:30:00.000Z"],
    ["30d", "2026-01-31T00:00:00.000Z"],
    ["2w", "2026-01-15T00:00:00.000Z"],
    ["1y", "2027-01-01T00:00:00.000Z"],
  ])("%s from now", (text, expected) => {
    expect(parseExpiry(text, nowMs)).toBe(expected);
  });

  test.each(["", "0d", "0s", "-1d", "1", "30 d", "99999y", "soon"])("%j is no duration", (text) => {
    expect(() => parseExpiry(text, nowMs)).toThrow(expect.objectContaining({ code: "InvalidArgument" }));
  });
});
