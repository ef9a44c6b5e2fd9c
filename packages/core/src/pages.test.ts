import { expect, test } from "vitest";

import { allPages } from "./pages.ts";

test("pages are read one after the other until one has no cursor", async () => {
  const asked: (string | undefined)[] = [];
  const pages = [{ items: [1, 2], cursor: "a" }, { items: [], cursor: "b" }, { items: [3] }];
  const read = async (cursor: string | undefined) => {
    asked.push(cursor);
    return pages[asked.length - 1] ?? { items: [] };
  };
  expect(await allPages(read)).toEqual([1, 2, 3]);
  expect(asked).toEqual([undefined, "a", "b"]);
});
