import { Change } from "@bowline/store";
import { expect, test } from "vitest";

import { ListedRange } from "./object-opening.ts";

function change(revision: number, name: string, type: Change["type"]): Change {
  return new Change({
    revision,
    kind: "Cluster",
    object_id: name,
    name,
    type,
    generation: 1,
    desired_changed: 0,
    previous_revision: null,
    body: "{}",
    at: 0,
    previous_body: null,
  });
}

/** The page has the names after d and up to h, with e as of 10 and g as of 12. */
function range({ isLast = false } = {}): ListedRange {
  return new ListedRange({
    selection: { labels: [], fields: [] },
    after: "d",
    upTo: isLast ? undefined : "h",
    items: [
      { name: "e", resourceVersion: "10" },
      { name: "g", resourceVersion: "12" },
    ],
  });
}

test("everything is news of what was listed before, nothing of what will be listed later", () => {
  expect(range().newsOf(change(9, "d", "DELETED"))).toBe("DELETED");
  expect(range().newsOf(change(9, "i", "MODIFIED"))).toBeUndefined();
  expect(range({ isLast: true }).newsOf(change(9, "i", "ADDED"))).toBe("ADDED");
});

test("of what the page shows, what is newer is news", () => {
  const listed = range();
  expect(listed.newsOf(change(9, "e", "DELETED"))).toBeUndefined();
  expect(listed.newsOf(change(10, "e", "ADDED"))).toBeUndefined();
  expect(listed.newsOf(change(11, "e", "MODIFIED"))).toBe("MODIFIED");
  expect(listed.newsOf(change(12, "e", "DELETED"))).toBe("DELETED");
  expect(listed.newsOf(change(13, "e", "ADDED"))).toBe("ADDED");
});

test("what the page does not show was gone: its end is no news, its return is", () => {
  const listed = range();
  expect(listed.newsOf(change(9, "f", "MODIFIED"))).toBeUndefined();
  expect(listed.newsOf(change(10, "f", "DELETED"))).toBeUndefined();
  expect(listed.newsOf(change(11, "f", "ADDED"))).toBe("ADDED");
  expect(listed.newsOf(change(12, "f", "MODIFIED"))).toBe("MODIFIED");
  expect(listed.newsOf(change(13, "f", "DELETED"))).toBe("DELETED");
  expect(listed.newsOf(change(14, "f", "MODIFIED"))).toBeUndefined();
});
