import { Cluster, WorkloadInstance, WorkloadPlacement, type Author } from "@bowline/api";
import { workloadDefaults } from "@bowline/api/testing";
import { cluster } from "@bowline/store/testing";
import { makeSshKey } from "@bowline/test-services/git";
import { beforeEach, describe, expect, test } from "vitest";

import { objectController } from "../controllers/object-controller.ts";
import { InstanceReconciler } from "../workloads/instance-reconciler.ts";
import { instanceWatches } from "../workloads/workload-watches.ts";
import { configMap, SourceHarness } from "./testing/source-harness.ts";

const good = "Ready True Resolved, UpToDate True Resolved";
const author: Author = { user: "ada", method: "token", groups: [], role: "editor" };
const paused = { paused: { reason: "a freeze" } };

let harness: SourceHarness;
let commit: string;

beforeEach(async () => {
  harness = await SourceHarness.open();
  commit = await harness.repository.commit({ files: { "a.yaml": configMap("a") } });
  await harness.define();
  await harness.start(() => [
    objectController({
      kind: WorkloadInstance,
      watches: instanceWatches,
      reconciler: ({ store, clock }) => new InstanceReconciler(store, clock),
    }),
  ]);
  await harness.until(good);
  await place("one");
  await harness.poll(placed).toEqual(["one"]);
});

/** The clusters of the instance are all that have been placed so far. */
async function place(...names: string[]): Promise<void> {
  for (const name of names) {
    const { metadata, spec } = cluster(name);
    await harness.store.objects.write(Cluster, name, () => ({ metadata, spec }));
  }
  const metadata = { name: "web", labels: {}, annotations: {} };
  const spec = { definition: "web", placement: { clusters: names }, ...workloadDefaults() };
  await harness.store.objects.write(WorkloadInstance, "web", () => ({ metadata, spec }), { author });
}

async function placements(): Promise<readonly WorkloadPlacement[]> {
  return (await harness.store.objects.list(WorkloadPlacement)).items;
}

/** Clusters that have the revision of the definition. */
async function placed(): Promise<string[]> {
  const { revision } = (await harness.definition()).status;
  const current = (await placements()).filter(({ spec }) => spec.revision === revision?.id);
  return current.map(({ spec }) => spec.cluster).toSorted();
}

async function instanceSays(): Promise<string | undefined> {
  const found = await harness.store.objects.get(WorkloadInstance, "web");
  return found?.status.conditions.find(({ type }) => type === "Ready")?.reason;
}

async function instanceObserved(): Promise<number | undefined> {
  return (await harness.store.objects.get(WorkloadInstance, "web"))?.status.observedGeneration;
}

/** Everything that the definition says is about the spec that it has now. */
async function requireObserved(): Promise<void> {
  const { metadata, status } = await harness.definition();
  const observed = status.conditions.map(({ observedGeneration }) => observedGeneration);
  expect([status.observedGeneration, ...observed]).toEqual([2, 2, 2]);
  expect(metadata.generation).toBe(2);
}

describe("the last good revision stays usable", () => {
  test("while the definition is paused, which is told where it belongs", async () => {
    await harness.define({}, paused);
    await harness.until("Ready True Resolved, UpToDate False Suspended");
    await requireObserved();
    const { conditions } = (await harness.definition()).status;
    expect(conditions.find(({ type }) => type === "UpToDate")?.message).toBe(
      `No new revision is made while spec.paused is there: a freeze. The last good revision stays (commit ${commit}).`,
    );
    await place("one", "two");
    await harness.poll(placed).toEqual(["one", "two"]);
    await harness.define();
    await harness.until(good);
  });

  test.each([
    ["interval", { interval: "5m" }],
    ["history", { history: "fastForwardOnly" as const }],
    ["credential", { credential: "other" }],
  ])("when only %s changes while git is away", async (_, change) => {
    await harness.credential({ type: "tls", data: {} }, "other");
    harness.server.fault = { kind: "status", status: 503 };
    await harness.define(change);
    await harness.until("Ready True Resolved, UpToDate False ServerError");
    await requireObserved();
    await place("one", "two");
    await harness.poll(placed).toEqual(["one", "two"]);
    expect((await harness.definition()).status.revision?.commit).toBe(commit);
  });

  test("when signatures are asked for while git is away, and no longer once it is known that nobody signed it", async () => {
    const { publicKey } = await makeSshKey(harness.folder, "ada");
    harness.server.fault = { kind: "status", status: 503 };
    await harness.define({ verify: { mode: "commit", keys: [{ publicKey, signer: "ada" }] } });
    await harness.until("Ready True Resolved, UpToDate False ServerError");
    harness.server.fault = undefined;
    await harness.clock.advance(3_600_000);
    await harness.until("Ready False NotVerified, UpToDate False NotVerified");
    await harness.poll(instanceSays).toBe("DefinitionNotReady");
    expect(await placed()).toEqual(["one"]);
  });

  test("while a change of the spec that decides nothing about it has yet to be looked at", async () => {
    harness.server.fault = { kind: "silent" };
    await harness.define({ interval: "5m" });
    await place("one", "two");
    await harness.poll(placed).toEqual(["one", "two"]);
    expect((await harness.definition()).status.observedGeneration).toBe(1);
  });

  test("again when the spec is what it was made from again, though git is away", async () => {
    await harness.define({ ref: "other" });
    await harness.until("Ready False RefNotFound, UpToDate False RefNotFound");
    harness.server.fault = { kind: "status", status: 503 };
    await harness.define();
    await harness.until("Ready True Resolved, UpToDate False ServerError");
    expect((await harness.definition()).status.revision?.commit).toBe(commit);
  });
});

describe("another content is not ready before it was read, and clusters keep what they have", () => {
  test.each([
    ["ref", { ref: "other" }, {}],
    ["path", { path: "deploy" }, {}],
    ["url", { url: "https://127.0.0.1:9/other.git" }, {}],
    ["render", {}, { render: { type: "yaml" as const, include: ["b.yaml"] } }],
    ["parameters", {}, { parameters: [{ name: "size", type: "integer" as const, required: true }] }],
  ])("with another %s while it is paused", async (_, git, spec) => {
    const before = await placements();
    await harness.define(git, { ...paused, ...spec });
    await harness.until("Ready False Suspended, UpToDate False Suspended");
    await harness.poll(instanceSays).toBe("DefinitionNotReady");
    await place("one", "two");
    await harness.poll(instanceObserved).toBe(2);
    expect((await placements()).map(({ spec: kept }) => kept)).toEqual(before.map(({ spec: kept }) => kept));
  });

  test("with another path while git is away", async () => {
    harness.server.fault = { kind: "status", status: 503 };
    await harness.define({ path: "deploy" });
    await harness.until("Ready False ServerError, UpToDate False ServerError");
    await harness.poll(instanceSays).toBe("DefinitionNotReady");
    expect(await placed()).toEqual(["one"]);
  });
});
