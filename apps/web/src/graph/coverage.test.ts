import { expect, test } from "vitest";

import { coverageLines, coverageNotes } from "./coverage.ts";

const gap = { cluster: "edge", namespace: "", since: "2026-01-02T00:00:00Z" } as const;

test("kinds that were not observed for one reason are one line, with the earliest time", () => {
  const lines = coverageLines([
    { ...gap, kind: "Secret", state: "FORBIDDEN" },
    { ...gap, kind: "Role", state: "FORBIDDEN", since: "2026-01-01T00:00:00Z" },
    { ...gap, kind: "Pod", namespace: "shop", state: "FAILING" },
  ]);
  expect(lines).toEqual([
    { what: "edge: Secret, Role", why: "the agent may not read them", since: "2026-01-01T00:00:00Z" },
    { what: "edge/shop: Pod", why: "reading them fails", since: "2026-01-02T00:00:00Z" },
  ]);
  const many = Array.from({ length: 20 }, (_, index) => ({
    ...gap,
    kind: `Kind${index}`,
    state: "UNKNOWN" as const,
  }));
  expect(coverageLines(many)[0]?.what).toMatch(/Kind7 and 12 more kinds$/u);
});

test("an answer says of where and when it is, and what it does not tell", () => {
  const frame = {
    asOf: "2026-01-01T00:00:00Z",
    ageMs: 5,
    clusters: ["edge"],
    withheldClusters: 0,
    withheld: 0,
    truncated: false,
    notObserved: [],
  };
  expect(coverageNotes(frame)).toEqual(["1 cluster asked"]);
  expect(
    coverageNotes({
      ...frame,
      clusters: [],
      withheldClusters: 2,
      withheld: 1,
      truncated: true,
      ageMs: 61_000,
    }),
  ).toEqual([
    "No cluster was asked",
    "withheld: 1 thing and 2 clusters that your AccessGrants do not cover",
    "there is more than is shown",
    "compared with the database 61 s ago",
  ]);
});
