import { AccessGrant, Cluster, type SpecOf } from "@bowline/api";
import { expect, test } from "vitest";
import { openTestStore } from "@bowline/store/testing";

import { identity } from "../testing/access-harness.ts";
import { grantsFor, type ClusterAccess } from "./grants-for.ts";

type GrantSpec = SpecOf<typeof AccessGrant>;

const nowMs = Date.parse("2026-01-01T00:00:00Z");
const everywhere: GrantSpec["clusters"] = { selector: { matchLabels: {}, matchExpressions: [] } };

/** Access that somebody gets in the cluster `prod-eu` by grants of which each says something. */
async function access(
  specs: readonly Partial<GrantSpec>[],
  who = identity("editor", "editor", { groups: ["shop"] }),
): Promise<ClusterAccess[]> {
  const { objects } = await openTestStore({ type: "sqlite", file: ":memory:" });
  for (const [index, spec] of specs.entries()) {
    await objects.create(AccessGrant, {
      metadata: { name: `grant-${index}`, labels: {}, annotations: {} },
      spec: { subjects: [{ user: "editor" }], clusters: everywhere, kubernetes: { groups: [] }, ...spec },
    });
  }
  const metadata = { name: "prod-eu", labels: { stage: "prod", region: "eu" }, annotations: {} };
  const { object } = await objects.create(Cluster, { metadata, spec: { provider: "existing" } });
  return grantsFor(who, object, (await objects.list(AccessGrant)).items, nowMs);
}

const names = (found: readonly ClusterAccess[]): string[] => found.map(({ grant }) => grant);

test("by user or by group", async () => {
  const subjects = [
    [{ user: "editor" }],
    [{ group: "shop" }],
    [{ user: "viewer" }, { group: "other" }],
    [{ user: "shop" }],
    [{ group: "editor" }],
    [{ user: "viewer" }, { user: "editor" }],
  ];
  expect(names(await access(subjects.map((of) => ({ subjects: of }))))).toEqual([
    "grant-0",
    "grant-1",
    "grant-5",
  ]);
});

test("by the name of the cluster or by its labels", async () => {
  const clusters: GrantSpec["clusters"][] = [
    { names: ["prod-eu", "other"] },
    { names: ["other"] },
    { selector: { matchLabels: { stage: "prod" }, matchExpressions: [] } },
    { selector: { matchLabels: { stage: "test" }, matchExpressions: [] } },
    {
      selector: { matchLabels: {}, matchExpressions: [{ key: "region", operator: "NotIn", values: ["eu"] }] },
    },
    everywhere,
  ];
  expect(names(await access(clusters.map((of) => ({ clusters: of }))))).toEqual([
    "grant-0",
    "grant-2",
    "grant-5",
  ]);
});

test("until it expires", async () => {
  const times = ["2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z", "2025-12-31T23:59:59Z"];
  expect(names(await access(times.map((expiresAt) => ({ expiresAt }))))).toEqual(["grant-1"]);
});

test("as the Kubernetes user and groups that it names; each for itself", async () => {
  const found = await access([
    { kubernetes: { user: "shop-deployer", groups: ["deployers"] }, namespaces: ["shop"] },
    { kubernetes: { groups: ["viewers"] } },
  ]);
  expect(found).toEqual([
    { grant: "grant-0", kubernetesUser: "shop-deployer", groups: ["deployers"], namespaces: ["shop"] },
    { grant: "grant-1", kubernetesUser: "editor", groups: ["viewers"], namespaces: undefined },
  ]);
});

test("nobody has access without a grant, admins neither", async () => {
  expect(await access([], identity("admin", "admin"))).toEqual([]);
  expect(await access([{}], identity("admin", "admin"))).toEqual([]);
});
