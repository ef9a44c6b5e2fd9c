import {
  AccessGrant,
  createValidator,
  graphQuestions,
  type GraphAnswer,
  type GraphData,
  type SpecOf,
} from "@bowline/api";
import { systemClock } from "@bowline/core";
import type { Coverage } from "@bowline/store";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GraphQuestions } from "../graph/graph-questions.ts";
import { factsOf, readingPod, ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { startRecordApi } from "../testing/record-api.ts";
import { graphRoutes } from "./graph-routes.ts";

const validators = new Map(
  Object.entries(graphQuestions).map(([name, { answer }]) => [name, createValidator(answer)]),
);

/** Two clusters: the operator may see all of both, the editor one namespace of `east`, and the viewer nothing. */
async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const [east, west] = [await ToldCluster.create(store, "east"), await ToldCluster.create(store, "west")];
  const grant = async (
    name: string,
    spec: Omit<SpecOf<typeof AccessGrant>, "kubernetes">,
    groups: string[] = [],
  ): Promise<void> => {
    await store.objects.write(AccessGrant, name, () => ({
      apiVersion: "v1",
      kind: "AccessGrant",
      metadata: { name, labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
      spec: { ...spec, kubernetes: { groups } },
    }));
  };
  await grant("all", { subjects: [{ user: "operator" }], clusters: { names: ["east", "west"] } });
  const shop = { clusters: { names: ["east"] }, namespaces: ["other"] };
  await grant("shop", { subjects: [{ user: "editor" }], ...shop });
  const grants = new GrantCache({ store, clock: systemClock, random: Math.random });
  onTestFinished(() => grants.close());
  await grants.start();
  const graphs = new ClusterGraphs({ source: store.graph, clock: systemClock, limits: { freshMs: 0 } });
  onTestFinished(() => graphs.close());
  const questions = new GraphQuestions({ graphs, history: store.graph, grants, clock: systemClock });
  const { get } = await startRecordApi(store, () => [graphRoutes({ questions })]);
  const ask = async (path: string, user?: string): Promise<GraphAnswer> => {
    const { body } = await get(`/api/v1/graph/${path}`, user);
    const answer = validators.get(path.split("?", 1)[0] ?? "")?.(body);
    if (answer?.ok !== true) throw new Error(JSON.stringify([answer, body]));
    return answer.value;
  };
  return { store, east, west, get, ask, grant };
}

function observed(kind: string): Coverage {
  return { group: "", kind, namespace: "", state: "observed", message: "", sinceMs: Date.UTC(2026, 0, 1) };
}

describe("questions about the objects of clusters", () => {
  test("who uses something is answered of one cluster or of all, and what was not observed is told", async () => {
    const { east, west, ask, get } = await setup();
    const sinceMs = Date.UTC(2026, 0, 1);
    const coverage = { group: "", namespace: "", sinceMs };
    await east.tell([
      readingPod("u1", "db"),
      { ...coverage, kind: "Pod", state: "observed", message: "" },
      { ...coverage, kind: "ServiceAccount", state: "forbidden", message: "not allowed" },
      { ...coverage, kind: "CronJob", group: "batch", state: "absent", message: "no such kind" },
    ]);
    const answer = await ask("uses?node=secret/shop/db");
    expect(answer).toMatchObject({ clusters: ["east", "west"], withheldClusters: 0, withheld: 0 });
    expect(answer.ageMs).toBeLessThan(60_000);
    expect(answer.data).toMatchObject({
      found: true,
      target: { cluster: "east", kind: "Secret", namespace: "shop", name: "db", dangling: true },
      users: [{ user: { kind: "Pod", name: "name-of-u1", uid: "u1" } }],
    });
    const gaps = answer.notObserved.filter(({ cluster }) => cluster === "east");
    expect(gaps).toContainEqual({
      cluster: "east",
      kind: "ServiceAccount",
      namespace: "",
      since: "2026-01-01T00:00:00.000Z",
      state: "FORBIDDEN",
      message: "not allowed",
    });
    const kinds = new Set(gaps.map(({ kind }) => kind));
    expect(["Pod", "CronJob", "Job"].filter((kind) => kinds.has(kind))).toEqual(["Job"]);
    expect((await ask("uses?node=Secret/shop/nothing")).data).toEqual({ found: false, total: 0, users: [] });

    await west.tell([readingPod("u2", "db")]);
    const { status, body } = await get("/api/v1/graph/uses?node=Secret/shop/db");
    expect(status).toBe(400);
    const message = expect.stringContaining("in several clusters: east, west");
    expect(body).toMatchObject({ error: { message } });
    expect(await ask("uses?node=Secret/shop/db&cluster=west")).toMatchObject({
      clusters: ["west"],
      data: { users: [{ user: { uid: "u2" } }] },
    });
  });

  test("what depends on something, and how one gets from one to another", async () => {
    const { east, ask } = await setup();
    const owner = factsOf("ReplicaSet", "r1", {
      edges: [
        { type: "OWNS", from: 0, to: { kind: "Pod", namespace: "shop", name: "name-of-u1" }, at: "/owner" },
      ],
    });
    await east.tell([owner, readingPod("u1", "db")]);
    expect((await ask("blast-radius?node=Secret/shop/db")).data).toMatchObject({
      found: true,
      depending: [{ node: { uid: "u1" } }, { node: { uid: "r1" } }],
    });
    expect((await ask("path?from=ReplicaSet/shop/name-of-r1&to=Secret/shop/db")).data).toMatchObject({
      found: true,
      hops: [{ to: { uid: "u1" } }, { to: { kind: "Secret", name: "db" } }],
    });
  });

  test("what is around something, over edges of some types, and how much of it there is", async () => {
    const { east, ask, get } = await setup();
    await east.tell([readingPod("u1", "db"), readingPod("u2", "db")]);
    const answer = await ask("around?node=secret/shop/db&depth=1&limit=2");
    expect(answer).toMatchObject({
      truncated: true,
      data: {
        found: true,
        total: 3,
        nodes: [
          { node: { kind: "Secret" }, hop: 0 },
          { node: { uid: "u1" }, hop: 1 },
        ],
        edges: [{ from: 1, to: 0, edge: { type: "USES_SECRET" } }],
        leftOut: [{ kind: "Pod", count: 1 }],
      },
    });
    expect((await ask("around?node=secret/shop/db&edges=OWNS,RUNS_ON")).data).toMatchObject({ total: 1 });
    const { status, body } = await get("/api/v1/graph/around?node=secret/shop/db&edges=OWNED");
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: { message: expect.stringContaining("HAS_CONTAINER") } });
    expect((await get("/api/v1/graph/around?node=secret/shop/db&depth=4")).status).toBe(400);
    expect((await ask("around?node=secret/shop/db", "editor")).data).toMatchObject({ found: false });
  });

  test("when objects came, changed and went, as far as the asker may see, and when nobody could know", async () => {
    const { east, west, ask } = await setup();
    await east.tell([observed("Pod"), { ...observed("Secret"), state: "forbidden", message: "no" }]);
    await east.tell([readingPod("u1", "db"), readingPod("u2", "db")]);
    await west.tell([readingPod("u3", "db")]);
    await east.tell([readingPod("u1", "other"), { gone: "u2" }]);
    const sumOf = ({ data }: GraphAnswer) => {
      const { steps } = data as GraphData<"timeline">;
      const sums = { came: 0, changed: 0, went: 0 };
      for (const { came, changed, went } of steps) {
        sums.came += came;
        sums.changed += changed;
        sums.went += went;
      }
      return sums;
    };
    const all = await ask("timeline?steps=5");
    expect(sumOf(all)).toEqual({ came: 3, changed: 1, went: 1 });
    expect(all.data).toMatchObject({
      gaps: expect.arrayContaining([
        expect.objectContaining({ cluster: "east", kind: "Secret", state: "FORBIDDEN" }),
        expect.objectContaining({ cluster: "west", kind: "", state: "UNKNOWN" }),
      ]),
    });
    expect(sumOf(await ask("timeline?cluster=east"))).toEqual({ came: 2, changed: 1, went: 1 });
    expect(sumOf(await ask("timeline?namespace=elsewhere"))).toEqual({ came: 0, changed: 0, went: 0 });
    expect(sumOf(await ask("timeline", "editor"))).toEqual({ came: 0, changed: 0, went: 0 });
    expect(await ask("timeline", "viewer")).toMatchObject({ clusters: [], data: { steps: [], gaps: [] } });
    const early = await ask("timeline?since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z");
    expect(early.data).toMatchObject({ steps: [] });
  });

  test("images, orphans and findings are those of all clusters, or of a namespace", async () => {
    const { east, west, ask } = await setup();
    const container = { kind: "Container", namespace: "shop", name: "web/containers/app" };
    const pod = factsOf("Pod", "u1", {
      name: "web",
      parts: [{ node: container, properties: { privileged: true } }],
      edges: [
        { type: "HAS_CONTAINER", from: 0, to: 1, at: "/spec/containers/0" },
        {
          type: "RUNS_IMAGE",
          from: 1,
          to: { kind: "ContainerImage", namespace: "", name: "sha256:1" },
          at: "/spec/containers/0/image",
          properties: { reference: "docker.io/shop/web:1", registry: "docker.io", tag: "1" },
        },
      ],
    });
    await east.tell([pod, readingPod("u2", "db")]);
    await west.tell([pod, factsOf("ConfigMap", "c1"), observed("ConfigMap"), observed("Secret")]);
    expect((await ask("images?image=shop/web")).data).toMatchObject({
      total: 1,
      images: [{ digest: "sha256:1", containers: 2, clusters: ["east", "west"] }],
    });
    expect((await ask("uses?node=containerimage//shop/web:1")).data).toMatchObject({ total: 2 });
    expect((await ask("orphans")).data).toMatchObject({
      unused: [{ node: { cluster: "west", kind: "ConfigMap" } }],
    });
    expect((await ask("orphans?namespace=other")).data).toMatchObject({ unused: [], unknown: 0 });
    const findings = await ask("audit?severity=critical&limit=1");
    expect(findings).toMatchObject({
      truncated: true,
      data: { total: 2, findings: [{ code: "Privileged" }], bySeverity: { critical: 2 } },
    });
    expect((await ask("audit?namespace=other")).data).toMatchObject({ total: 0 });
    const held = await ask("audit", "editor");
    expect(held).toMatchObject({ withheld: 1, data: { findings: [] } });
  });

  test("what one looks for is found in all clusters, of the kind that was named", async () => {
    const { east, west, ask } = await setup();
    await east.tell([readingPod("u1", "db")]);
    await west.tell([factsOf("ConfigMap", "c1", { name: "db" })]);
    expect((await ask("search?text=db")).data).toMatchObject({
      total: 2,
      hits: [
        { node: { cluster: "east", kind: "Secret" }, match: "exact" },
        { node: { cluster: "west", kind: "ConfigMap" } },
      ],
    });
    expect((await ask("search?text=db&kind=configmap")).data).toMatchObject({ total: 1 });
    expect(await ask("search?text=db&limit=1")).toMatchObject({ truncated: true, data: { total: 2 } });
    expect((await ask("search?text=db", "editor")).data).toEqual({ total: 0, hits: [] });
  });

  test("who can do something, and what somebody can, is told with the people who become them", async () => {
    const { east, ask, get } = await setup();
    const reader = factsOf("Role", "r1", {
      name: "reader",
      rules: [
        { verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [], nonResourceURLs: [] },
      ],
    });
    const readers = factsOf("RoleBinding", "b1", {
      edges: [
        { type: "GRANTS", from: 0, to: reader.node, at: "/roleRef" },
        { type: "BINDS", from: 0, to: { kind: "User", namespace: "", name: "operator" }, at: "/subjects/0" },
      ],
    });
    await east.tell([reader, readers]);
    const rule = { text: "get secrets", role: { name: "reader" }, binding: { kind: "RoleBinding" } };
    expect((await ask("who-can?verb=get&resource=Secret&namespace=shop")).data).toMatchObject({
      holders: [
        { cluster: "east", isMaster: true },
        { subject: { kind: "User", name: "operator" }, grants: [rule] },
        { cluster: "west", isMaster: true },
      ],
      people: [{ user: "operator", grant: "all", through: [{ name: "operator" }] }],
    });
    expect((await ask("what-can?subject=user:operator&cluster=east")).data).toMatchObject({
      clusters: [{ cluster: "east", rules: [rule] }],
    });
    expect(await ask("who-can?verb=get&resource=secrets", "editor")).toMatchObject({ withheld: 1 });
    expect((await ask("who-can?verb=get&resource=/metrics")).data).toMatchObject({ people: [] });
    expect(await get("/api/v1/graph/what-can?subject=operator")).toMatchObject({ status: 400 });
  });

  test("of an earlier time people are those of grants that were there, and it is said that these may have been others", async () => {
    const { east, ask, grant } = await setup();
    const masters = { subjects: [{ user: "operator" }], clusters: { names: ["east"] } };
    await grant("masters", masters, ["system:masters"]);
    await east.tell([readingPod("u1", "db")], Date.now() - 3_600_000);
    const whoCan = async (at: number) =>
      (await ask(`who-can?verb=get&resource=secrets&cluster=east&at=${new Date(at).toISOString()}`)).data;
    const warnings = [expect.stringMatching(/^People are told by AccessGrants .* as they are now/u)];
    expect(await whoCan(Date.now() - 60_000)).toMatchObject({ people: [], warnings });
    const before = Date.now();
    await expect.poll(() => Date.now()).toBeGreaterThan(before);
    expect(await whoCan(before)).toMatchObject({ people: [{ grant: "masters" }], warnings });
    expect(await whoCan(before)).not.toMatchObject({ people: [{ changedSince: true }] });
    await grant("masters", { ...masters, namespaces: ["shop"] }, ["system:masters"]);
    await expect
      .poll(() => whoCan(before))
      .toMatchObject({ people: [{ grant: "masters", namespaces: ["shop"], changedSince: true }], warnings });
    expect((await ask("who-can?verb=get&resource=secrets")).data).toMatchObject({ warnings: [] });
  });

  test("Secrets behind Services that are reached from outside are told, with the way there", async () => {
    const { east, ask } = await setup();
    const container = { kind: "Container", namespace: "shop", name: "web/containers/app" };
    const pod = factsOf("Pod", "u1", {
      name: "web",
      parts: [{ node: container, properties: {} }],
      edges: [
        { type: "HAS_CONTAINER", from: 0, to: 1, at: "/spec/containers/0" },
        {
          type: "USES_SECRET",
          from: 1,
          to: { kind: "Secret", namespace: "shop", name: "db" },
          at: "/spec/containers/0/env/0",
        },
      ],
    });
    const service = factsOf("Service", "s1", {
      properties: { type: "LoadBalancer" },
      edges: [{ type: "ROUTES_TO", from: 0, to: pod.node, at: "/endpoints/0" }],
    });
    await east.tell([pod, service]);
    expect((await ask("exposure")).data).toMatchObject({
      total: 1,
      exposures: [{ entry: "LoadBalancer", severity: "medium", secret: { name: "db" }, ways: 1 }],
    });
    expect(await ask("exposure", "editor")).toMatchObject({ withheld: 1, data: { exposures: [] } });
  });

  test("what came and went between two times is told", async () => {
    const { east, ask } = await setup();
    await east.tell([readingPod("u1", "db")], Date.now() - 3_600_000);
    await east.tell([{ gone: "u1" }, readingPod("u2", "db")]);
    const from = new Date(Date.now() - 60_000).toISOString();
    const { data } = await ask(`diff?from=${from}`);
    expect(data).toMatchObject({
      nodes: [
        { change: "went", node: { uid: "u1" } },
        { change: "came", node: { uid: "u2" } },
      ],
    });
    expect((await ask(`diff?from=${from}&to=${from}`)).data).toMatchObject({ total: 0 });
    expect((await ask(`diff?from=${from}&namespace=other`)).data).toMatchObject({ total: 0 });
    expect(await ask(`diff?from=${from}`, "editor")).toMatchObject({ withheld: 4, data: { nodes: [] } });
  });

  test("a graph is exported as far as one may see it", async () => {
    const { east, get } = await setup();
    await east.tell([readingPod("u1", "db")]);
    const { body } = await get("/api/v1/graph/export?cluster=east&format=json");
    expect(body).toMatchObject({ cluster: "east", withheld: 0, edges: [{ type: "USES_SECRET" }] });
    expect((await get("/api/v1/graph/export?cluster=east&format=json", "editor")).body).toMatchObject({
      withheld: 3,
      nodes: [],
    });
    expect(await get("/api/v1/graph/export?cluster=west&format=json", "editor")).toMatchObject({
      status: 403,
    });
    expect(await get("/api/v1/graph/export?format=json")).toMatchObject({ status: 400 });
  });

  test("are answered as of a time, and refused where that is not kept any more", async () => {
    const { store, east, ask, get } = await setup();
    await east.tell([readingPod("u1", "db"), readingPod("u2", "other")], Date.now() - 3_600_000);
    await east.tell([{ gone: "u1" }]);
    const at = new Date(Date.now() - 60_000).toISOString();
    const answer = await ask(`uses?node=Secret/shop/db&at=${at}`);
    expect(answer).toMatchObject({ asOf: at, data: { users: [{ user: { uid: "u1" } }] } });
    expect((await ask("uses?node=Secret/shop/db")).data).toMatchObject({ found: false, users: [] });
    await store.retention.prune({ graphMs: -60_000 });
    const earlier = new Date(Date.now() - 120_000).toISOString();
    expect(await get(`/api/v1/graph/uses?node=Secret/shop/db&at=${earlier}`)).toMatchObject({ status: 410 });
  });

  test("tell nobody more than their AccessGrants let them see", async () => {
    const { east, ask, get } = await setup();
    await east.tell([readingPod("u1", "db")]);
    const held = await ask("uses?node=Secret/shop/db", "editor");
    expect(held).toMatchObject({ clusters: ["east"], withheldClusters: 1 });
    expect(JSON.stringify(held)).not.toContain("u1");
    expect(await ask("uses?node=Secret/shop/db", "viewer")).toMatchObject({
      clusters: [],
      withheldClusters: 2,
      data: { found: false },
    });
    expect(await ask("uses?node=Secret/shop/db&cluster=west", "editor")).toMatchObject({
      clusters: [],
      withheldClusters: 1,
    });
    expect(await get("/api/v1/graph/uses?node=Secret/shop/db&cluster=none")).toMatchObject({ status: 404 });
  });

  test.each([
    "uses",
    "uses?node=Secret",
    "uses?node=Secret/shop/db&at=yesterday",
    "path?from=Secret/shop/db",
    "path?from=Secret/shop/db&to=Secret",
    "uses?node=Secret/shop/db&unknown=1",
    "search",
    "search?text=db&limit=0",
    "search?text=db&limit=many",
    "audit?severity=bad",
    "orphans?namespace=a/b",
  ])("are refused when they are none: %s", async (path) => {
    const { get } = await setup();
    expect(await get(`/api/v1/graph/${path}`)).toMatchObject({ status: 400 });
  });
});
