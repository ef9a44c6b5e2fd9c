import { objectText, type InventoryItem, type ReportCursor } from "@bowline/store";
import { describe, expect, test } from "vitest";

import { placementHealth, wholeOf, type PlacementFacts } from "./placement-health.ts";
import { resourceTrees, type JudgedResource } from "./resource-verdicts.ts";

const healthy = { health: "Healthy", reason: "Available", message: "All is well." } as const;
const pulling = { health: "Degraded", reason: "ImagePullBackOff", message: "No such image." } as const;
const nowMs = 1_000_000;

function item(more: Partial<InventoryItem> = {}): InventoryItem {
  return {
    instanceId: "i",
    clusterId: "c",
    group: "apps",
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    uid: "u1",
    version: "v1",
    stage: 1,
    state: "applied",
    revision: "r",
    digest: "d1",
    appliedAtMs: nowMs - 60_000,
    ...more,
  };
}

function row(uid: string, more: Partial<JudgedResource> = {}): JudgedResource {
  return {
    uid,
    group: "apps",
    version: "v1",
    kind: "Deployment",
    namespace: "shop",
    name: "web",
    workload: "web",
    resourceVersion: "1",
    applied: "d1",
    observedAtMs: nowMs - 30_000,
    verdict: healthy,
    ...more,
  };
}

const cursor: ReportCursor = { clusterId: "c", epoch: 1, instance: "pod-1", sequence: 3, complete: true };

function judge(more: Partial<PlacementFacts> & { readonly rows?: JudgedResource[] }) {
  const { rows = [], ...facts } = more;
  const known = { items: [item()], trees: resourceTrees(rows), cursor, nowMs, ...facts };
  const { resources, againMs } = placementHealth(known);
  const { verdict, ...others } = resources.get(objectText(item())) ?? {};
  return { health: verdict?.health, reason: verdict?.reason, drifted: undefined, ...others, againMs };
}

test("An object of a kind that the agent may not watch is not known, and not missing", () => {
  expect(judge({ lacksRights: true })).toMatchObject({ reason: "NotReported", drifted: undefined });
  expect(judge({ lacksRights: true, seen: new Set(["u1"]) })).toMatchObject({ reason: "NotFound" });
  expect(judge({})).toMatchObject({ reason: "NotFound", drifted: { changedBy: "" } });
});

describe("the health of a hook", () => {
  const hook = { kind: "Job", group: "batch", hook: "pre" } as const;
  const judgeHook = (more: Partial<InventoryItem>, rows: JudgedResource[] = []) => {
    const run = item({ ...hook, ...more });
    const known = { items: [run], trees: resourceTrees(rows), cursor, nowMs };
    return placementHealth(known).resources.get(objectText(run));
  };

  test("is good when it is gone after it has succeeded, and bad when it has not", () => {
    expect(judgeHook({ hookEnd: "succeeded" })).toEqual({
      verdict: expect.objectContaining({ health: "Healthy", reason: "HookSucceeded" }),
    });
    expect(judgeHook({ hookEnd: "failed" })?.verdict).toMatchObject({ health: "Degraded" });
    expect(judgeHook({})).toMatchObject({ verdict: { health: "Missing" }, drifted: undefined });
  });

  test("tells its end, and never that somebody has changed it", () => {
    const changed = row("u1", { ...hook, applied: "d2", end: "succeeded" });
    expect(judgeHook({}, [changed])).toMatchObject({
      verdict: { health: "Healthy" },
      end: "succeeded",
      drifted: undefined,
    });
  });
});

describe("the health of a Secret", () => {
  const secret = item({ group: "", kind: "Secret", name: "keys" });
  const judgeSecret = (more: Partial<PlacementFacts>) =>
    placementHealth({ items: [secret], trees: [], cursor, nowMs, ...more }).resources.get(objectText(secret));

  test("is good once it was applied, where the agent may not look at it", () => {
    const { verdict, drifted } = judgeSecret({}) ?? {};
    expect({ verdict, drifted }).toMatchObject({
      verdict: { health: "Healthy", reason: "NotWatched" },
      drifted: undefined,
    });
    const intended = { ...secret, state: "intended", uid: undefined } as const;
    expect(judgeSecret({ items: [intended] })?.verdict).toMatchObject({ reason: "NotApplied" });
  });

  test("is that it is missing, where an agent has reported it before", () => {
    expect(judgeSecret({ seen: new Set(["u1"]) })).toMatchObject({
      verdict: { reason: "NotFound" },
      drifted: { changedBy: "" },
    });
  });
});

describe("the health of an object of a placement", () => {
  test.each<[string, Parameters<typeof judge>[0], object]>([
    ["is what was reported", { rows: [row("u1")] }, { health: "Healthy", reason: "Available", uid: "u1" }],
    [
      "has the reason of the pods it owns, through whatever made them",
      {
        rows: [
          row("u1", { verdict: { health: "Progressing", reason: "RollingOut", message: "Waiting." } }),
          row("u3", { kind: "Pod", ownerUid: "u2", name: "web-1", verdict: pulling }),
          row("u2", { kind: "ReplicaSet", ownerUid: "u1" }),
        ],
      },
      { health: "Degraded", reason: "ImagePullBackOff" },
    ],
    [
      "drifts when somebody else has set a field",
      { rows: [row("u1", { applied: "d2", changedBy: "kubectl-edit" })] },
      { health: "Healthy", drifted: { changedBy: "kubectl-edit" } },
    ],
    [
      "drifts when nothing of it is Bowline's any more",
      { rows: [row("u1", { applied: undefined })] },
      { drifted: { changedBy: "" } },
    ],
    [
      "drifts when another object has its name",
      { rows: [row("u9", { changedBy: "helm" })] },
      { health: "Healthy", uid: "u9", drifted: { changedBy: "helm" } },
    ],
    [
      "does not drift while it is being applied",
      { items: [item({ state: "intended" })], rows: [row("u1", { applied: "d2" })] },
      { health: "Healthy", drifted: undefined },
    ],
    [
      "does not drift a moment after it was applied; it is looked at again",
      {
        items: [item({ appliedAtMs: nowMs - 500 })],
        rows: [row("u1", { applied: "d2", observedAtMs: nowMs })],
      },
      { health: "Healthy", drifted: undefined, againMs: 1_500 },
    ],
    [
      "is not that of before it was applied",
      { items: [item({ appliedAtMs: nowMs - 200 })], rows: [row("u1")] },
      { health: "Progressing", reason: "JustApplied", againMs: 1_800 },
    ],
    [
      "is not that of a moment before it was applied with other fields",
      {
        items: [item({ appliedAtMs: nowMs - 200 })],
        rows: [row("u1", { applied: "d0", observedAtMs: nowMs - 300 })],
      },
      { health: "Progressing", reason: "JustApplied", againMs: 9_800 },
    ],
    [
      "may be that of a moment before it was applied with the same fields: clocks differ",
      { items: [item({ appliedAtMs: nowMs - 200 })], rows: [row("u1", { observedAtMs: nowMs - 300 })] },
      { health: "Healthy" },
    ],
    [
      "is not that of an earlier resourceVersion, with the same fields and a moment before it was applied",
      {
        items: [item({ appliedAtMs: nowMs - 200, resourceVersion: "10" })],
        rows: [row("u1", { resourceVersion: "9", observedAtMs: nowMs - 300 })],
      },
      { health: "Progressing", reason: "JustApplied", againMs: 9_800 },
    ],
    [
      "is that of its resourceVersion, whatever the clocks say",
      {
        items: [item({ appliedAtMs: nowMs - 200, resourceVersion: "9" })],
        rows: [row("u1", { resourceVersion: "10" })],
      },
      { health: "Healthy" },
    ],
    [
      "is told by clocks where resourceVersions are no numbers",
      {
        items: [item({ appliedAtMs: nowMs - 200, resourceVersion: "b" })],
        rows: [row("u1", { resourceVersion: "a" })],
      },
      { health: "Progressing", reason: "JustApplied" },
    ],
    [
      "is believed in the end, for a cluster may have gone back in time",
      {
        items: [item({ appliedAtMs: nowMs - 11_000, resourceVersion: "10" })],
        rows: [row("u1", { resourceVersion: "9" })],
      },
      { health: "Healthy" },
    ],
    [
      "is believed after a while, when applying it has changed nothing",
      { items: [item({ appliedAtMs: nowMs - 2_000 })], rows: [row("u1")] },
      { health: "Healthy", againMs: undefined },
    ],
    [
      "is believed when the agent saw it before the server had written down that it was applied",
      { items: [item({ appliedAtMs: nowMs - 100 })], rows: [row("u1", { observedAtMs: nowMs - 150 })] },
      { health: "Healthy" },
    ],
    [
      "is not that of before it was applied, however late the agent reports that it has other fields",
      {
        items: [item({ appliedAtMs: nowMs - 5_000 })],
        rows: [row("u1", { applied: "d0", observedAtMs: nowMs - 6_000 })],
      },
      { health: "Progressing", reason: "JustApplied", drifted: undefined, againMs: 5_000 },
    ],
    [
      "is believed in the end, for clocks may differ",
      {
        items: [item({ appliedAtMs: nowMs - 11_000 })],
        rows: [row("u1", { applied: "d0", observedAtMs: nowMs - 12_000 })],
      },
      { health: "Healthy", drifted: { changedBy: "" } },
    ],
    [
      "is missing when everything was reported and it was not",
      {},
      { health: "Missing", reason: "NotFound", drifted: { changedBy: "" } },
    ],
    [
      "is missing at once when it was there before",
      { items: [item({ appliedAtMs: nowMs - 1_000 })], seen: new Set(["u1"]) },
      { health: "Missing", reason: "NotFound", drifted: { changedBy: "" }, againMs: undefined },
    ],
    [
      "is not missing before the agent had the time to find it",
      { items: [item({ appliedAtMs: nowMs - 1_000 })] },
      { health: "Progressing", reason: "JustApplied", againMs: 9_000 },
    ],
    [
      "stays what it was while a new epoch begins",
      { cursor: { ...cursor, complete: false } },
      { health: undefined, drifted: undefined },
    ],
    [
      "is on its way before the first report of a cluster that has just got something to report",
      { cursor: undefined, items: [item({ appliedAtMs: nowMs - 1_000 })] },
      { health: "Progressing", reason: "JustApplied", againMs: 9_000 },
    ],
    [
      "is on its way while the first report of everything is coming in",
      { cursor: { ...cursor, complete: false }, items: [item({ appliedAtMs: nowMs - 1_000 })] },
      { health: "Progressing", reason: "JustApplied", againMs: 9_000 },
    ],
    [
      "is unknown when no report has come for so long",
      { cursor: undefined },
      { health: "Unknown", reason: "NotReported" },
    ],
    [
      "is missing before it was applied for the first time",
      { items: [item({ state: "intended", uid: undefined, appliedAtMs: undefined })] },
      { health: "Missing", reason: "NotApplied" },
    ],
    [
      "is unknown when the agent is away, whatever it said before",
      { rows: [row("u1")], outdated: { health: "Unknown", reason: "AgentDisconnected", message: "Away." } },
      { health: "Unknown", reason: "AgentDisconnected" },
    ],
    [
      "is nobody's business once it is to go, or to stay for others",
      { items: [item({ state: "kept" })], rows: [row("u1")] },
      { health: undefined },
    ],
  ])("%s", (_, facts, expected) => {
    expect(judge(facts)).toMatchObject(expected);
  });

  test("owners that lead in circles, or to nowhere, lose nothing", () => {
    const circle = [row("a", { ownerUid: "b", name: "a" }), row("b", { ownerUid: "a", name: "b" })];
    const orphan = row("c", { ownerUid: "gone", name: "c" });
    const trees = resourceTrees([...circle, orphan]);
    expect(trees.map(({ root }) => root.uid).toSorted()).toEqual(["a", "b", "c"]);
  });
});

test("a placement is as the worst of its objects, and of none nothing is known", () => {
  expect(wholeOf([healthy, pulling, healthy])).toMatchObject({
    verdict: { health: "Degraded", reason: "ImagePullBackOff" },
    healthyCount: 2,
  });
  expect(wholeOf([])).toMatchObject({
    verdict: { health: "Unknown", reason: "NoResources" },
    healthyCount: 0,
  });
});

test("A pod that has failed a moment ago is looked at again when it has run for a while", () => {
  const pod = row("u2", { group: "", kind: "Pod", name: "web-1", ownerUid: "u1", againMs: 9_000 });
  const relapse = { verdict: pulling, isFresh: true };
  expect(judge({ rows: [row("u1"), { ...pod, relapse }] })).toMatchObject({
    health: "Degraded",
    reason: "ImagePullBackOff",
    againMs: 9_000,
  });
  expect(
    judge({
      rows: [row("u1", { applied: "d2", observedAtMs: nowMs }), pod],
      items: [item({ appliedAtMs: nowMs - 500 })],
    }),
  ).toMatchObject({
    health: "Healthy",
    againMs: 1_500,
  });
});
