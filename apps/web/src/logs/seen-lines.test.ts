import { array, assert, integer, nat, property } from "fast-check";
import { expect, test } from "vitest";

import { SeenLines } from "./seen-lines.ts";

const at = (ms: number, nanos = 0): { ms: number; nanos: number } => ({ ms, nanos });

test("nothing was seen, so nothing is resumed", () => {
  const seen = new SeenLines();
  expect(seen.sinceTime).toBeUndefined();
  seen.resume();
  expect(seen.admit(at(1_000))).toBe("new");
});

test("what comes again after a break is dropped, what follows is not", () => {
  const seen = new SeenLines();
  for (const time of [at(1_000), at(1_500), at(1_500, 7)]) seen.admit(time);
  expect(seen.sinceTime).toBe("1970-01-01T00:00:01.500Z");
  seen.resume();
  // The server begins with the second.
  expect([at(1_000), at(1_500), at(1_500, 7), at(1_500, 8)].map((time) => seen.admit(time))).toEqual([
    "seen",
    "seen",
    "seen",
    "new",
  ]);
});

test("lines of the very same moment are counted", () => {
  const seen = new SeenLines();
  seen.admit(at(1_000));
  seen.admit(at(1_000));
  seen.resume();
  expect([1, 2, 3].map(() => seen.admit(at(1_000)))).toEqual(["seen", "seen", "new"]);
});

test("where nothing comes again, something may be missing", () => {
  const seen = new SeenLines();
  seen.admit(at(1_000));
  seen.resume();
  expect(seen.admit(at(9_000))).toBe("gap");
  expect(seen.admit(at(9_001))).toBe("new");
});

test("a line whose clock goes back is no reason to lose it", () => {
  const seen = new SeenLines();
  expect([at(2_000), at(1_000)].map((time) => seen.admit(time))).toEqual(["new", "new"]);
});

test("wherever it breaks, and however often, each line comes once", () => {
  assert(
    property(array(nat(400), { minLength: 1 }), array(integer({ min: 0, max: 50 })), (steps, breaks) => {
      let ms = 1_000;
      const written = steps.map((step) => (ms += step * 10));
      const seen = new SeenLines();
      const read: number[] = [];
      let upTo = 0;
      for (const more of [...breaks, written.length]) {
        upTo = Math.min(written.length, upTo + more);
        seen.resume();
        const since =
          seen.sinceTime === undefined ? 0 : Math.floor(Date.parse(seen.sinceTime) / 1_000) * 1_000;
        for (const time of written.slice(0, upTo)) {
          if (time >= since && seen.admit(at(time)) !== "seen") read.push(time);
        }
      }
      expect(read).toEqual(written);
    }),
  );
});
