import { describe, expect, test } from "vitest";

import { supervisionProblems, type ChildSnapshot, type ChildState } from "./supervision.ts";

function child(name: string, state: ChildState, rest: Partial<ChildSnapshot> = {}): ChildSnapshot {
  return { name, state, sinceMs: 0, restarts: 0, ...rest };
}

describe("supervisionProblems", () => {
  test("finds none where all children run or have ended", () => {
    const children = [child("pods", "running"), child("import", "stopped", { restarts: 3 })];
    expect(supervisionProblems({ name: "agent", state: "running", sinceMs: 0, children })).toEqual([]);
  });

  test("names the path of each child that is not well, and why", () => {
    const lastError = { code: "ConnectionFailed", message: "no way" } as const;
    const observers = child("observers", "running", {
      children: [child("pods", "backing-off", { lastError }), child("nodes", "starting")],
    });
    const children = [observers, child("tunnel", "failed", { lastError })];
    expect(supervisionProblems({ name: "agent", state: "stopping", sinceMs: 0, children })).toEqual([
      "agent is stopping",
      "agent/observers/pods is backing-off: no way",
      "agent/observers/nodes is starting",
      "agent/tunnel is failed: no way",
    ]);
  });
});
