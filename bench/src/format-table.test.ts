import { expect, it } from "vitest";

import { formatTable, megabytes, milliseconds } from "./format-table.ts";

it("lines text up on the left and numbers on the right", () => {
  const table = {
    columns: ["client", "RSS"],
    rows: [
      ["bowline", "9 MB"],
      ["other", "100 MB"],
    ],
  };
  expect(formatTable(table)).toBe("client      RSS\nbowline    9 MB\nother    100 MB");
});

it("prints sizes and times in one unit each", () => {
  expect(megabytes(12_345_678)).toBe("12.3 MB");
  expect(milliseconds(1.234)).toBe("1.23 ms");
  expect(milliseconds(1234.5)).toBe("1235 ms");
});
