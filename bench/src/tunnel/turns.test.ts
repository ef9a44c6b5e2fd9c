import { expect, test } from "vitest";

import { Turns } from "./turns.ts";
import type { Way } from "./ways.ts";

const way = (name: string): Way => ({ name, target: { port: 0, prefix: "" }, pids: [] });

test("takes turns, forgets the warm-up, and compares within a turn", async () => {
  const said: string[] = [];
  // The machine becomes ten times slower in the last turn; the ratio stays what it was.
  const values = [999, 999, 10, 20, 30, 60, 1, 2];
  const turns = await Turns.take([way("a"), way("b")], {
    rounds: 3,
    warmUps: 1,
    signal: new AbortController().signal,
    measure: async ({ name }) => {
      said.push(name);
      return values[said.length - 1] ?? 0;
    },
  });
  expect(said.join("")).toBe("abababab");
  expect(turns.median("a", ({ value }) => value)).toBe(10);
  expect(turns.ratio("b", "a", ({ value }) => value)).toBe(2);
  expect(turns.ratio("nobody", "a", ({ value }) => value)).toBeNaN();
});
