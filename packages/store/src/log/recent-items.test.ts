import { expect, test } from "vitest";

import { Change } from "./change.ts";
import { RecentItems } from "./recent-items.ts";

function change(revision: number, size = 10): Change {
  return new Change({
    revision,
    kind: "Cluster",
    object_id: "1",
    name: "a",
    type: "MODIFIED",
    generation: 1,
    desired_changed: 0,
    previous_revision: null,
    body: "x".repeat(size),
    at: 0,
    previous_body: null,
  });
}

const revisionsAfter = (recent: RecentItems<Change>, position: number): number[] | undefined =>
  recent.after(position)?.map(({ revision }) => revision);

test("has what came after a position it knows, over gaps too", () => {
  const recent = new RecentItems<Change>();
  recent.restart(10);
  recent.append([change(12), change(15)], 16);
  expect(recent.position).toBe(16);
  expect(revisionsAfter(recent, 10)).toEqual([12, 15]);
  expect(revisionsAfter(recent, 12)).toEqual([15]);
  expect(revisionsAfter(recent, 13)).toEqual([15]);
  expect(revisionsAfter(recent, 16)).toEqual([]);
  expect(revisionsAfter(recent, 9)).toBeUndefined();
  expect(revisionsAfter(recent, 17)).toBeUndefined();
});

test("forgets the oldest when there are many, and then does not know what came after them", () => {
  const recent = new RecentItems<Change>();
  recent.append(
    Array.from({ length: 3_000 }, (_, index) => change(index + 1)),
    3_000,
  );
  expect(recent.after(0)).toBeUndefined();
  expect(recent.after(3_000 - 2_048)).toHaveLength(2_048);
  expect(recent.after(3_000 - 2_049)).toBeUndefined();
});

test("forgets the oldest when they are large", () => {
  const recent = new RecentItems<Change>();
  const megabyte = 2 ** 20;
  for (let revision = 1; revision <= 40; revision += 1) recent.append([change(revision, megabyte)], revision);
  expect(recent.after(39)).toHaveLength(1);
  expect(recent.after(8)).toHaveLength(32);
  expect(recent.after(7)).toBeUndefined();
});
