import { AccessGrant, createValidator, ClusterViews, GraphAnswer, type SpecOf } from "@bowline/api";
import { systemClock } from "@bowline/core";
import { openTestStore } from "@bowline/store/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { ClusterGraphs } from "../graph/cluster-graphs.ts";
import { GraphQuestions } from "../graph/graph-questions.ts";
import { factsOf, readingPod, ToldCluster } from "../graph/testing/told-cluster.ts";
import { GrantCache } from "../proxy/admission/grant-cache.ts";
import { startRecordApi } from "../testing/record-api.ts";
import { graphRoutes } from "./graph-routes.ts";

const validate = createValidator(GraphAnswer);
const validateViews = createValidator(ClusterViews);

/** Two clusters: the operator may see all of both, the editor one namespace of `east`, and the viewer nothing. */
async function setup() {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const [east, west] = [await ToldCluster.create(store, "east"), await ToldCluster.create(store, "west")];
  const grant = async (name: string, spec: Omit<SpecOf<typeof AccessGrant>, "kubernetes">): Promise<void> => {
    await store.objects.write(AccessGrant, name, () => ({
      apiVersion: "v1",
      kind: "AccessGrant",
      metadata: { name, labels: {}, annotations: {}, finalizers: [], ownerReferences: [] },
      spec: { ...spec, kubernetes: { groups: [] } },
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
  const questions = new GraphQuestions({ graphs, grants, clock: systemClock });
  const { get } = await startRecordApi(store, [graphRoutes({ store, questions })]);
  const ask = async (path: string, user?: string): Promise<GraphAnswer> => {
    const { body } = await get(`/api/v1/graph/${path}`, user);
    const answer = validate(body);
    if (!answer.ok) throw new Error(JSON.stringify(body));
    return answer.value;
  };
  return { store, east, west, get, ask };
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
  ])("are refused when they are none: %s", async (path) => {
    const { get } = await setup();
    expect(await get(`/api/v1/graph/${path}`)).toMatchObject({ status: 400 });
  });
});

test("what an agent has counted is read with its cluster", async () => {
  const { store, east, get } = await setup();
  const key = { clusterId: east.clusterId, epoch: 2, instance: "pod-1" };
  await store.graph.begin(key);
  const content = JSON.stringify({ Running: 3, Pending: 0 });
  const items = [{ index: 0, type: "view", name: "pods-by-phase", content }] as const;
  await store.graph.store({ key, sequence: 1, items });
  const { body } = await get("/api/v1/clusters/east/views", "viewer");
  expect(validateViews(body)).toMatchObject({
    ok: true,
    value: { items: [{ name: "pods-by-phase", numbers: { Running: 3, Pending: 0 } }] },
  });
  expect(await get("/api/v1/clusters/none/views")).toMatchObject({ status: 404 });
});
