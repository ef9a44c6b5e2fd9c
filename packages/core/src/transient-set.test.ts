import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { describe, expect, test } from "vitest";

import { TransientSet } from "./transient-set.ts";

const members = (count: number) => Array.from({ length: count }, (_, id) => ({ id, slot: -1 }));
const ids = (set: TransientSet<{ id: number; slot: number }>) =>
  [...set].map(({ id }) => id).toSorted((a, b) => a - b);

describe("TransientSet", () => {
  test("has those that came and did not leave, each once", () => {
    const set = new TransientSet<{ id: number; slot: number }>();
    const [a, b, c] = members(3);
    if (a === undefined || b === undefined || c === undefined) throw new Error("There are three.");
    for (const member of [a, b, a]) set.add(member);
    expect(ids(set)).toEqual([0, 1]);
    set.delete(a);
    set.delete(a);
    set.add(c);
    set.delete(a);
    expect(ids(set)).toEqual([1, 2]);
    expect(set.size).toBe(2);
    expect([set.at(c.slot), set.at(7), set.at(-1)]).toEqual([c, undefined, undefined]);
    set.add(a);
    expect(ids(set)).toEqual([0, 1, 2]);
  });

  test("can be changed while it is walked", () => {
    const set = new TransientSet<{ id: number; slot: number }>();
    const all = members(10);
    for (const member of all) set.add(member);
    const seen: number[] = [];
    for (const { id } of set) {
      seen.push(id);
      for (const member of all) if (member.id !== id && member.id < 8) set.delete(member);
    }
    expect(seen).toEqual([0, 8, 9]);
  });

  test("goes on after thousands have come and gone", () => {
    const set = new TransientSet<{ id: number; slot: number }>();
    const all = members(5_000);
    for (const member of all) set.add(member);
    for (const member of all) set.delete(member);
    expect([...set]).toEqual([]);
    for (const member of all.slice(0, 3)) set.add(member);
    expect(ids(set)).toEqual([0, 1, 2]);
    expect(set.size).toBe(3);
  });
});

/** How many megabytes the old generation holds after thousands came and went, in a process of its own. */
async function oldMegabytes(kind: string): Promise<number> {
  const program = `
    import { getHeapSpaceStatistics } from "node:v8";
    import { TransientSet } from ${JSON.stringify(new URL("transient-set.ts", import.meta.url).href)};
    const oldBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === "old_space").space_used_size;
    const set = new ${kind}();
    const open = Array.from({ length: 32 }, () => undefined);
    const pass = (count) => {
      for (let at = 0; at < count; at++) {
        const member = { slot: -1, payload: new Array(500).fill(at) };
        const left = open[at % open.length];
        if (left !== undefined) set.delete(left);
        set.add(member);
        open[at % open.length] = member;
      }
    };
    pass(1000);
    gc();
    const before = oldBytes();
    pass(4000);
    gc({ type: "minor" });
    console.log(Math.round((oldBytes() - before) / 1e6));
  `;
  // So that nothing is collected but when it is asked for.
  const flags = ["--expose-gc", "--single-threaded", "--initial-old-space-size=256"];
  const args = [...flags, "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return Number(stdout);
}

test("who has left leaves nothing in the old generation, unlike in a Set", async () => {
  expect(await oldMegabytes("Set")).toBeGreaterThan(5);
  expect(await oldMegabytes("TransientSet")).toBeLessThan(1);
});
