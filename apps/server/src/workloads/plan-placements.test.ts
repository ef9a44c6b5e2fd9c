import {
  Cluster,
  placementName,
  WorkloadDefinition,
  WorkloadInstance,
  WorkloadPlacement,
  type ApiObject,
  type Kind,
  type ObjectOf,
} from "@bowline/api";
import { returnedObject } from "@bowline/api/testing";
import { typed } from "@bowline/store";
import { describe, expect, test } from "vitest";

import { planPlacements, type PlacementPlan, type PlanInput } from "./plan-placements.ts";

const revision = `sha256:${"a".repeat(64)}`;
const newer = `sha256:${"b".repeat(64)}`;
const editor = { user: "editor", role: "editor", method: "token", groups: [] } as const;
const manifests = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: '${{ a }}'}}";

function object<K extends Kind>(kind: K, name: string, spec: object, status: object = {}): ObjectOf<K> {
  const made: ApiObject = returnedObject(kind, { metadata: { name }, spec });
  return typed(kind, { ...made, status: { ...made.status, ...status } });
}

const cluster = (name: string): Cluster => object(Cluster, name, {});

function definition(status: object = {}, id = revision): WorkloadDefinition {
  return object(
    WorkloadDefinition,
    "web",
    { source: { inline: { manifests } }, parameters: [{ name: "a", default: "1" }] },
    {
      observedGeneration: 1,
      revision: { id, resolvedAt: "2026-01-01T00:00:00.000Z" },
      author: editor,
      ...status,
    },
  );
}

function instance(spec: object = {}, status: object = {}): WorkloadInstance {
  const whole = { definition: "web", placement: { clusters: ["one", "two"] }, ...spec };
  return object(WorkloadInstance, "web", whole, { author: editor, ...status });
}

function placement(clusterName: string, spec: object = {}): WorkloadPlacement {
  return object(WorkloadPlacement, placementName("web", clusterName), {
    instance: "web",
    cluster: clusterName,
    definition: "web",
    revision,
    actingUser: { user: "editor", method: "token", groups: [] },
    ...spec,
  });
}

const both = [cluster("one"), cluster("two")];
const plan = (input: Partial<PlanInput>): PlacementPlan =>
  planPlacements({
    instance: instance(),
    definition: definition(),
    pinned: { id: revision },
    clusters: both,
    placements: [],
    dependencies: [],
    cycle: undefined,
    nowMs: 0,
    ...input,
  });

const clustersOf = ({ wanted }: PlacementPlan): string[] =>
  [...wanted.values()].map(({ cluster: name }) => name);

test("every cluster gets a placement with the revision, the settings and the person it acts for", () => {
  const found = plan({
    instance: instance({
      namespace: "shop",
      parameters: { a: "2" },
      drift: "report",
      takeoverFrom: ["flux"],
    }),
  });
  expect(clustersOf(found)).toEqual(["one", "two"]);
  expect(found.wanted.get(placementName("web", "one"))).toMatchObject({
    instance: "web",
    cluster: "one",
    definition: "web",
    revision,
    namespace: "shop",
    parameters: { a: "2" },
    drift: "report",
    takeoverFrom: ["flux"],
    actingUser: { user: "editor", method: "token", groups: [] },
  });
  expect([found.surplus, found.hold]).toEqual([[], undefined]);
});

test("clusters that it does not belong in any more lose it", () => {
  const found = plan({ clusters: [cluster("one")], placements: [placement("one"), placement("two")] });
  expect(found.surplus).toEqual([placementName("web", "two")]);
  expect(found.hold).toBeUndefined();
});

describe("a selector", () => {
  const selecting = instance({ placement: { selector: { matchLabels: { stage: "prod" } } } });
  const placements = [placement("one"), placement("two")];

  test("that loses all of several clusters at once is held until somebody agrees", () => {
    const held = plan({ instance: selecting, clusters: [], placements });
    expect([held.surplus, held.hold?.reason]).toEqual([[], "PlacementHeld"]);
    expect(held.hold?.message).toContain("bowline approve wi/web");
    const approved = instance({ ...selecting.spec, approved: { revision } });
    expect(plan({ instance: approved, clusters: [], placements }).surplus).toHaveLength(2);
  });

  test("that loses one of several, or the only one, is not", () => {
    expect(plan({ instance: selecting, clusters: [cluster("one")], placements }).surplus).toHaveLength(1);
    expect(plan({ instance: selecting, clusters: [], placements: [placement("one")] }).surplus).toHaveLength(
      1,
    );
  });
});

describe("placements stay as they are", () => {
  const placements = [placement("one")];

  test.each([
    ["without a definition", undefined, "DefinitionNotFound"],
    ["while the definition is resolved", definition({ observedGeneration: 0 }), "Resolving"],
    ["before the definition has a revision", definition({ revision: undefined }), "Resolving"],
    [
      "while the definition has a problem",
      definition({
        conditions: [{ type: "Ready", status: "False", reason: "InvalidManifests", message: "Bad." }],
      }),
      "DefinitionNotReady",
    ],
  ])("%s", (_when, found, reason) => {
    const { wanted, surplus, hold } = plan({ definition: found, placements });
    expect([wanted.size, surplus, hold?.reason]).toEqual([0, [], reason]);
  });

  test("while parameters are wrong, all of which are told", () => {
    const { wanted, hold } = plan({ instance: instance({ parameters: { b: "1", c: "2" } }) });
    expect([wanted.size, hold?.reason]).toEqual([0, "InvalidParameters"]);
    expect(hold?.message).toContain("parameter b is not declared");
    expect(hold?.message).toContain("parameter c is not declared");
  });

  test("when nobody is known to have written the instance", () => {
    expect(plan({ instance: instance({}, { author: undefined }) }).hold?.reason).toBe("NotGranted");
  });
});

describe("in whose name", () => {
  const other = { ...editor, user: "other" };

  test("what somebody else wrote waits for an agreement: nobody uses another one's rights", () => {
    const { wanted, hold } = plan({ definition: definition({ author: other }, newer) });
    expect([wanted.size, hold?.reason]).toEqual([0, "WaitingForApproval"]);
    expect(hold?.message).toContain("was written by other, and would act in the clusters as editor");
  });

  test("an agreement is to one revision", () => {
    const agreed = instance({ approved: { revision: newer } });
    const found = plan({ instance: agreed, definition: definition({ author: other }, newer) });
    expect([...found.wanted.values()][0]).toMatchObject({ revision: newer, approved: newer });
    expect(plan({ instance: agreed, definition: definition({ author: other }) }).hold?.reason).toBe(
      "WaitingForApproval",
    );
  });

  test("admins may write for everybody, and name the person", () => {
    const admin = { ...editor, user: "admin", role: "admin" };
    expect(plan({ definition: definition({ author: admin }) }).hold).toBeUndefined();
    const named = instance({ actingUser: "other" }, { author: admin });
    const found = plan({ instance: named, definition: definition({ author: admin }) });
    expect([...found.wanted.values()][0]?.actingUser).toEqual({ user: "other", method: "token", groups: [] });
    expect(plan({ instance: named }).hold?.reason).toBe("WaitingForApproval");
  });

  test("the groups of somebody who signed in at an issuer go with them", () => {
    const signedIn = { user: "somebody@example.com", role: "editor", method: "oidc", groups: ["shop"] };
    const found = plan({
      instance: instance({}, { author: signedIn }),
      definition: definition({ author: signedIn }),
    });
    expect([...found.wanted.values()][0]?.actingUser).toEqual({
      user: "somebody@example.com",
      method: "oidc",
      groups: ["shop"],
    });
  });

  test("a definition whose author is not known waits for an agreement", () => {
    expect(plan({ definition: definition({ author: undefined }) }).hold?.reason).toBe("WaitingForApproval");
  });
});

describe("a pinned revision", () => {
  const pinned = (rejected: readonly string[]): WorkloadInstance =>
    instance({ revision: { pin: revision, rejected } });
  const revisionsOf = ({ wanted }: PlacementPlan): string[] => [
    ...new Set([...wanted.values()].map((spec) => spec.revision)),
  ];

  test("stays, whatever the definition says, and although its source is gone", () => {
    const gone = definition(
      { conditions: [{ type: "Ready", status: "False", reason: "Unreachable", message: "Gone." }] },
      newer,
    );
    for (const found of [definition({}, newer), gone]) {
      expect(revisionsOf(plan({ instance: pinned([]), definition: found }))).toEqual([revision]);
    }
  });

  test("by a rollback ends with the first revision that was not left by it", () => {
    const rolledBack = pinned([newer]);
    expect(revisionsOf(plan({ instance: rolledBack, definition: definition({}, newer) }))).toEqual([
      revision,
    ]);
    const next = `sha256:${"c".repeat(64)}`;
    expect(revisionsOf(plan({ instance: rolledBack, definition: definition({}, next) }))).toEqual([next]);
  });

  test("that is not kept is told", () => {
    const { wanted, hold } = plan({ instance: pinned([]), pinned: undefined });
    expect([wanted.size, hold?.reason]).toEqual([0, "RevisionNotFound"]);
  });

  test("that nobody signed is told where signatures are asked for, and clusters stay as they are", () => {
    const publicKey = `ssh-ed25519 ${"A".repeat(68)} ada`;
    const git = { url: "https://git.example.com/web.git", verify: { keys: [{ publicKey }] } };
    const asking = object(WorkloadDefinition, "web", { source: { git } }, definition().status);
    const commit = "c0ffee".repeat(6);
    const unsigned = plan({ instance: pinned([]), definition: asking, pinned: { id: revision, commit } });
    expect([unsigned.wanted.size, unsigned.surplus]).toEqual([0, []]);
    expect(unsigned.hold).toEqual({
      status: "False",
      reason: "NotVerified",
      message: `Revision ${"a".repeat(12)} (commit ${commit}) is not known to be signed, and the WorkloadDefinition web takes only what is, by spec.source.git.verify. Choose one that has a signer: bowline history wi/web -o wide.`,
    });
    const signed = { id: revision, commit, signer: "ada" };
    expect(revisionsOf(plan({ instance: pinned([]), definition: asking, pinned: signed }))).toEqual([
      revision,
    ]);
  });
});

describe("overrides", () => {
  const inEurope = { matchLabels: { region: "eu" }, matchExpressions: [] };
  const all = { matchLabels: {}, matchExpressions: [] };
  const europe = object(Cluster, "one", {});
  const clusters = [
    { ...europe, metadata: { ...europe.metadata, labels: { region: "eu" } } },
    cluster("two"),
  ];
  const patch = { target: { kind: "ConfigMap" }, patch: { merge: { data: { b: "2" } } } };

  test("count where their selector matches, and the later wins", () => {
    const overrides = [
      { selector: all, parameters: { a: "all" } },
      { selector: inEurope, parameters: { a: "eu" }, patches: [patch] },
    ];
    const { wanted } = plan({ instance: instance({ overrides }), clusters });
    expect(wanted.get(placementName("web", "one"))).toMatchObject({
      parameters: { a: "eu" },
      patches: [patch],
    });
    expect(wanted.get(placementName("web", "two"))).toMatchObject({ parameters: { a: "all" } });
    expect(wanted.get(placementName("web", "two"))).not.toHaveProperty("patches");
  });

  test("with a parameter that nobody declared change nothing anywhere", () => {
    const overrides = [{ selector: inEurope, parameters: { b: "1" } }];
    const { wanted, hold } = plan({ instance: instance({ overrides }), clusters });
    expect([wanted.size, hold?.reason]).toEqual([0, "InvalidParameters"]);
  });
});

describe("a paused instance", () => {
  const paused = { paused: { reason: "the night" } };

  test("changes nothing, removes nothing, and says what it would change", () => {
    const { wanted, surplus, hold } = plan({
      instance: instance({ ...paused, namespace: "other" }),
      clusters: [cluster("one")],
      placements: [placement("one"), placement("two")],
    });
    expect([wanted.size, surplus]).toEqual([0, []]);
    expect(hold).toMatchObject({ reason: "Paused", message: expect.stringContaining("(the night)") });
    expect(hold?.message).toContain("2 clusters");
  });

  test("has nothing to say where all is as it should be", () => {
    const found = plan({ instance: instance(paused), placements: [placement("one"), placement("two")] });
    expect(found.hold).toBeUndefined();
  });
});

describe("dependencies", () => {
  const dependsOn = [{ instance: "database" }];

  test("keep it out of clusters where they are not, and where it is, it stays", () => {
    const found = plan({ instance: instance({ dependsOn }), placements: [placement("one")] });
    expect(clustersOf(found)).toEqual(["one"]);
    expect(found.waiting.get("two")?.reason).toBe("WaitingForDependency");
  });

  test("that lead back to it hold everything", () => {
    const found = plan({ instance: instance({ dependsOn }), cycle: ["web", "database", "web"] });
    expect([found.wanted.size, found.hold?.reason]).toEqual([0, "DependencyCycle"]);
    expect(found.hold?.message).toContain("web → database → web");
  });
});

describe("a rollout", () => {
  const waves = [{ clusters: { count: 1 } }];
  const rollout = { waves, onFailure: "rollback" };
  const connected = ["one", "two"].map((name) =>
    object(Cluster, name, {}, { agent: { connectedSince: "2026-01-01T00:00:00.000Z" } }),
  );
  const old = [placement("one"), placement("two")];

  test("leaves the placements of later waves exactly as they are", () => {
    const found = plan({
      instance: instance({ rollout, namespace: "shop" }),
      definition: definition({}, newer),
      placements: old,
      clusters: connected,
    });
    expect([...found.wanted.values()]).toMatchObject([
      { cluster: "one", revision: newer, namespace: "shop" },
    ]);
    expect(found.waiting.get("two")?.reason).toBe("WaitingForWave");
    expect(found.rollout).toMatchObject({ revision: newer, from: revision, phase: "Progressing", wave: 1 });
  });

  test("that failed gives all clusters the revision before, with its reason", () => {
    const begun = plan({
      instance: instance({ rollout }),
      definition: definition({}, newer),
      placements: old,
      clusters: connected,
    });
    const failed = plan({
      instance: instance({ rollout }, { rollout: begun.rollout }),
      definition: definition({}, newer),
      placements: [placement("one", { revision: newer }), placement("two")],
      clusters: connected,
      nowMs: 3_600_000,
    });
    expect([...failed.wanted.values()].map((spec) => spec.revision)).toEqual([revision, revision]);
    expect(failed).toMatchObject({ revision, hold: { reason: "RolledBack" } });
    expect(failed.hold?.message).toContain("bowline resume wi/web");
  });
});
