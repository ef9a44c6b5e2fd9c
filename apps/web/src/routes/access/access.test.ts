import type { AccessGrant, Cluster, User } from "@bowline/api";
import { describe, expect, test } from "vitest";

import { accessMatrix, cellKey, cellText, reachOf } from "./access-matrix.ts";
import { draftOf, emptyDraft, specOf, type GrantDraft } from "./grant-draft.ts";
import { previewGrant } from "./grant-preview.ts";

const nowMs = Date.parse("2026-07-01T12:00:00Z");

function metadata(name: string, labels: Readonly<Record<string, string>> = {}) {
  return {
    name,
    labels,
    annotations: {},
    id: name,
    resourceVersion: "1",
    generation: 1,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-01T00:00:00Z",
  };
}

function cluster(name: string, labels: Readonly<Record<string, string>> = {}): Cluster {
  return {
    kind: "Cluster",
    metadata: metadata(name, labels),
    spec: {},
    status: { conditions: [] },
  } as unknown as Cluster;
}

function user(name: string, groups: string[] = [], disabled = false): User {
  return {
    kind: "User",
    metadata: metadata(name),
    spec: { role: "viewer", groups, disabled },
    status: {},
  } as unknown as User;
}

function grant(name: string, spec: Partial<AccessGrant["spec"]>): AccessGrant {
  return {
    kind: "AccessGrant",
    metadata: metadata(name),
    spec: { subjects: [], clusters: { selector: {} }, kubernetes: { groups: [] }, ...spec },
    status: {},
  } as unknown as AccessGrant;
}

const clusters = [
  cluster("prod-1", { env: "prod" }),
  cluster("edge", { env: "edge" }),
  cluster("prod-2", { env: "prod" }),
];
const users = [user("deputy", ["ops"]), user("editor", ["shop", "ops"]), user("former", ["ops"], true)];
const prod = { selector: { matchLabels: { env: "prod" }, matchExpressions: [] } };

describe("the preview of a grant", () => {
  test("says who is meant, by name and by group, and what it takes in now", () => {
    const { spec } = grant("g", {
      subjects: [{ user: "deputy" }, { group: "ops" }],
      clusters: prod,
      kubernetes: { groups: ["view"] },
      namespaces: ["shop"],
      expiresAt: "2026-08-01T00:00:00Z",
    });
    expect(previewGrant(spec, { clusters, users, nowMs })).toEqual({
      people: [
        { name: "deputy", through: undefined, isDisabled: false },
        { name: "editor", through: "ops", isDisabled: false },
        { name: "former", through: "ops", isDisabled: true },
      ],
      groups: [{ name: "ops", members: 3 }],
      clusters: ["prod-1", "prod-2"],
      asUser: undefined,
      asGroups: ["view"],
      namespaces: ["shop"],
      endsAtMs: Date.parse("2026-08-01T00:00:00Z"),
      warnings: [],
    });
  });

  test.each<readonly [string, Partial<AccessGrant["spec"]>, RegExp]>([
    ["system:masters", { kubernetes: { groups: ["system:masters"] } }, /may do everything/u],
    [
      "a name of Kubernetes",
      { kubernetes: { user: "system:kube-scheduler", groups: [] } },
      /of Kubernetes itself/u,
    ],
    [
      "one user for many",
      { subjects: [{ user: "deputy" }, { user: "editor" }], kubernetes: { user: "shared", groups: [] } },
      /cannot tell them apart/u,
    ],
    ["no groups", { kubernetes: { groups: [] } }, /only roles in the cluster that name each user/u],
    [
      "an empty selector",
      { clusters: { selector: { matchLabels: {}, matchExpressions: [] } } },
      /every cluster, those of later too/u,
    ],
    [
      "labels that nobody has",
      { clusters: { selector: { matchLabels: { env: "x" }, matchExpressions: [] } } },
      /No cluster has these labels/u,
    ],
    ["a cluster that is not there", { clusters: { names: ["edge", "gone"] } }, /There is no cluster gone/u],
    ["kube-system", { namespaces: ["kube-system"] }, /take over the cluster/u],
    ["an end that is past", { expiresAt: "2026-06-01T00:00:00Z" }, /ended already/u],
    ["somebody who is disabled", { subjects: [{ user: "former" }] }, /former is disabled/u],
  ])("warns of %s", (_, spec, warning) => {
    const subjects = [{ user: "deputy" }];
    const whole = grant("g", { subjects, clusters: prod, kubernetes: { groups: ["view"] }, ...spec }).spec;
    expect(previewGrant(whole, { clusters, users, nowMs }).warnings).toEqual([
      expect.stringMatching(warning),
    ]);
  });
});

describe("a grant in a form", () => {
  const spec: AccessGrant["spec"] = {
    subjects: [{ user: "deputy" }, { group: "all of us" }],
    clusters: {
      selector: {
        matchLabels: { env: "prod" },
        matchExpressions: [
          { key: "tier", operator: "NotIn", values: ["a", "b"] },
          { key: "x", operator: "Exists" },
        ],
      },
    },
    kubernetes: { user: "shared", groups: ["view", "edit"] },
    namespaces: ["shop", "web"],
    expiresAt: "2026-08-01T00:00:00.000Z",
  };

  test("comes out as it went in", () => {
    expect(specOf(draftOf(grant("g", spec)))).toEqual(spec);
    const byName = { ...spec, clusters: { names: ["edge", "prod-1"] } };
    expect(specOf(draftOf(grant("g", byName)))).toEqual(byName);
  });

  test("leaves out what was left empty", () => {
    const draft: GrantDraft = { ...emptyDraft, users: " deputy,  editor deputy", labels: "env=prod" };
    expect(specOf(draft)).toEqual({
      subjects: [{ user: "deputy" }, { user: "editor" }],
      clusters: prod,
      kubernetes: { groups: [] },
    });
  });

  test.each<readonly [Partial<GrantDraft>, keyof GrantDraft]>([
    [{ users: "" }, "users"],
    [{ labels: "env in (" }, "labels"],
    [{ by: "names", clusters: " , " }, "clusters"],
    [{ endsAt: "soon" }, "endsAt"],
  ])("says which field is wrong in %j", (change, field) => {
    expect(specOf({ ...emptyDraft, users: "deputy", ...change })).toMatchObject({ field });
  });
});

describe("the matrix", () => {
  const grants = [
    grant("ops", { subjects: [{ group: "ops" }], clusters: prod, kubernetes: { groups: ["view", "edit"] } }),
    grant("edge", { subjects: [{ user: "deputy" }], clusters: { names: ["edge"] }, namespaces: ["shop"] }),
    grant("over", { subjects: [{ user: "editor" }], expiresAt: "2026-06-01T00:00:00Z" }),
  ];
  const world = { grants, users, clusters, nowMs };

  test("has users and the groups of grants, and in each cell what is in force", () => {
    const { rows, clusters: names, cells } = accessMatrix(world, "");
    expect(rows.map(({ kind, name }) => `${kind} ${name}`)).toEqual([
      "user deputy",
      "user editor",
      "user former",
      "group ops",
    ]);
    expect(names).toEqual(["edge", "prod-1", "prod-2"]);
    const at = (kind: "user" | "group", name: string, in_: string): string =>
      cellText(cells.get(cellKey({ kind, name }, in_)) ?? []);
    expect(at("user", "deputy", "edge")).toBe("own name (1 ns)");
    expect(at("user", "editor", "prod-1")).toBe("view +1");
    expect(at("group", "ops", "prod-2")).toBe("view +1");
    expect(at("user", "editor", "edge")).toBe("");
  });

  test("is filtered by rows and by clusters, and says what it leaves out", () => {
    expect(accessMatrix(world, "prod")).toMatchObject({
      clusters: ["prod-1", "prod-2"],
      rows: { length: 4 },
    });
    expect(accessMatrix(world, "deputy").rows).toHaveLength(1);
    expect(accessMatrix(world, "", { rows: 1, clusters: 1 })).toMatchObject({
      hiddenRows: 3,
      hiddenClusters: 2,
    });
  });

  test("tells what somebody would reach, and as whom", () => {
    const reach = reachOf({ user: "deputy", groups: ["ops"] }, world);
    expect(reach.map(({ cluster: in_, grant: { metadata: by }, asUser }) => [in_, by.name, asUser])).toEqual([
      ["edge", "edge", "deputy"],
      ["prod-1", "ops", "deputy"],
      ["prod-2", "ops", "deputy"],
    ]);
  });
});
