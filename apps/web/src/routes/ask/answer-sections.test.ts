import { expect, test } from "vitest";

import { cellText, sectionsOf, type AnswerSection } from "./answer-sections.ts";

const pod = { cluster: "edge", kind: "Pod", namespace: "shop", name: "web-1" };
const secret = { cluster: "edge", kind: "Secret", namespace: "shop", name: "db", dangling: true };
const reads = {
  type: "USES_SECRET",
  at: "/spec/volumes/0",
  sentence: "Pod shop/web-1 reads Secret shop/db",
} as const;
const withheld = { withheld: true } as const;

function texts(sections: readonly AnswerSection[]): string[][] {
  return sections.flatMap(({ rows }) => rows.map((row) => row.map(cellText)));
}

test("who uses something is a row for each way, also for one that is withheld", () => {
  const user = { owners: [], optional: false };
  const sections = sectionsOf("uses", {
    found: true,
    total: 2,
    users: [
      { ...user, user: pod, ways: [[reads], [{ ...reads, at: "" }]], optional: true },
      { ...user, user: withheld, ways: [[withheld]] },
    ],
  });
  expect(texts(sections)).toEqual([
    ["edge: Pod shop/web-1 (goes without)", "–", "/spec/volumes/0"],
    ["edge: Pod shop/web-1 (goes without)", "–", "by labels"],
    ["withheld", "–", "withheld"],
  ]);
  expect(sectionsOf("uses", { found: false, total: 0, users: [] })[0]?.none).toMatch(/no such thing/u);
});

test("a path is told as sentences, with where to cut it", () => {
  const path = {
    from: pod,
    to: secret,
    found: true,
    direction: "forward" as const,
    hops: [{ from: pod, to: secret, edges: [reads] }],
    alternatives: 3,
    cut: { removes: "every path" as const, hop: 0, sentence: "Cut here." },
  };
  const sections = sectionsOf("path", path);
  expect(sections.map(({ sentences }) => sentences)).toEqual([
    ["Pod shop/web-1 reads Secret shop/db"],
    ["Cut here.", "There are 3 ways that are as short."],
  ]);
  expect(texts(sections)).toEqual([
    ["edge: Pod shop/web-1", "edge: Secret shop/db (not observed)", "/spec/volumes/0"],
  ]);
  const none = sectionsOf("path", { ...path, found: false, hops: [] });
  expect(none).toMatchObject([{ rows: [], none: "No path leads there, nor back." }]);
});

test("what changed leaves out what is inside of pods, and edges of what came or went as a whole", () => {
  const sections = sectionsOf("diff", {
    total: 4,
    nodes: [
      { change: "came", node: pod },
      { change: "came", node: { ...pod, kind: "Container", name: "web-1/containers/app" } },
      { change: "changed", node: secret, properties: [{ name: "replicas", before: 1, after: 2 }] },
      { change: "went", node: withheld },
    ],
    edges: [
      { change: "came", from: pod, to: secret, edge: reads },
      { change: "came", from: secret, to: secret, edge: reads },
    ],
  });
  expect(texts(sections)).toEqual([
    ["came", "edge: Pod shop/web-1", ""],
    ["changed", "edge: Secret shop/db (not observed)", "replicas: 1 → 2"],
    ["went", "withheld", ""],
    ["came", "Pod shop/web-1 reads Secret shop/db"],
  ]);
});

test("who may do something comes with the rule, and with the people who become them", () => {
  const rule = { namespace: "", binding: pod, role: withheld, at: "/rules/0" };
  const sections = sectionsOf("who-can", {
    holders: [
      { cluster: "edge", subject: pod, grants: [{ ...rule, text: "get secrets" }, rule] },
      { cluster: "edge", subject: pod, isMaster: true, grants: [] },
    ],
    accounts: [],
    people: [
      {
        cluster: "edge",
        group: "dev",
        grant: "developers",
        changedSince: true,
        kubernetesGroups: [],
        namespaces: ["shop"],
        through: [{ kind: "Group", namespace: "", name: "demo:editors" }],
      },
    ],
    warnings: ["Mind this."],
  });
  expect(sections[0]?.sentences).toEqual(["Mind this."]);
  const cells = texts(sections);
  expect(cells.map((row) => row.slice(2, 4))).toEqual([
    ["everywhere", "get secrets"],
    ["everywhere", "withheld"],
    ["everywhere", "is asked for no rule"],
    ["developers (written since)", "Group demo:editors"],
  ]);
});
