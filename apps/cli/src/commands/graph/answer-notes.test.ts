import { describe, expect, test } from "vitest";

import { answerNotes } from "./answer-notes.ts";

const nowMs = Date.parse("2026-01-01T02:00:00Z");
const whole = {
  asOf: "2026-01-01T00:00:00.000Z",
  ageMs: 400,
  clusters: ["edge"],
  withheldClusters: 0,
  withheld: 0,
  truncated: false,
  notObserved: [],
};
const gap = (kind: string, more: object = {}) => ({
  cluster: "edge",
  kind,
  namespace: "",
  since: "2026-01-01T01:55:00.000Z",
  state: "FORBIDDEN" as const,
  ...more,
});
const live = { isPast: false, nowMs };

describe("what somebody should know who reads an answer", () => {
  test("is nothing where it is whole and about now", () => {
    expect(answerNotes(whole, live)).toEqual([]);
  });

  test("is the time, where that is not now", () => {
    expect(answerNotes(whole, { isPast: true, nowMs })).toEqual(["As it was at 2026-01-01T00:00:00.000Z."]);
    expect(answerNotes({ ...whole, ageMs: 90_000 }, live)).toEqual(["As it was 90s ago."]);
  });

  test("is how much was withheld, and whether there is more", () => {
    expect(answerNotes({ ...whole, withheld: 3, withheldClusters: 1, truncated: true }, live)).toEqual([
      "Withheld: 3 things and one cluster that your AccessGrants do not let you see.",
      "There is more than is shown; --cluster and more precise names narrow it down.",
    ]);
  });

  test("is what was not observed, a line for each reason and place, since when", () => {
    const notObserved = [
      gap("Secret"),
      gap("Role", { since: "2026-01-01T00:00:00.000Z" }),
      gap("Pod", { namespace: "shop", state: "FAILING" }),
    ];
    expect(answerNotes({ ...whole, notObserved }, live)).toEqual([
      "Not observed in edge: Secret, Role (its agent may not read them, since 120m).",
      "Not observed in edge, namespace shop: Pod (reading them fails, since 5m).",
    ]);
  });

  test("is bounded, and obeyed by no terminal", () => {
    const kinds = Array.from({ length: 30 }, (_, n) => gap(`Kind${n}\u001B[2J`));
    const clusters = Array.from({ length: 30 }, (_, n) => gap("Pod", { cluster: `c${n}` }));
    const notes = answerNotes({ ...whole, notObserved: [...kinds, ...clusters] }, live);
    expect(notes).toHaveLength(6);
    expect(notes.join("\n")).not.toContain("\u001B");
    expect(notes[0]).toMatch(/^Not observed in edge: Kind0.*, Kind5\S* and 24 more kinds/u);
    expect(notes.at(-1)).toBe("Not observed as well: 26 more; -o json shows all.");
  });
});
