import { encodeFacts, factsDigest, type ObjectFacts } from "@bowline/graph";
import { CoverageState, ReportTopic } from "@bowline/protocol";
import { describe, expect, test, vi } from "vitest";

import { openTestGateway, type HarnessOptions } from "../testing/gateway-harness.ts";
import type { TestAgent } from "../testing/test-agent.ts";
import { gone, observed, TestReport, type TestItem } from "../testing/test-report.ts";

interface FactsParts {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly digest?: Uint8Array;
  readonly facts?: Uint8Array;
}

/** A Pod that says which image it runs. */
function podText(image: string): string {
  const node = { kind: "Pod", namespace: "shop", name: "web" };
  const facts: ObjectFacts = { node, uid: "u", properties: { image }, parts: [], edges: [], selections: [] };
  return encodeFacts(facts);
}

function says(uid: string, image: string, more: FactsParts = {}): TestItem {
  const text = podText(image);
  const value = {
    uid,
    kind: "Pod",
    namespace: "shop",
    name: `name-of-${uid}`,
    digest: factsDigest(text),
    facts: Buffer.from(text),
    observedAt: { seconds: BigInt(Math.floor(Date.now() / 1_000)) },
    ...more,
  };
  return { item: { case: "facts", value } };
}

function coverage(kind: string, state: CoverageState): TestItem {
  return { item: { case: "coverage", value: { kind, state, message: "red \u001B[31malert" } } };
}

function view(name: string, numbers: Record<string, bigint>): TestItem {
  return { item: { case: "view", value: { name, numbers } } };
}

async function setup(options: HarnessOptions = {}) {
  const changed = vi.fn();
  const harness = await openTestGateway({ ...options, graphSink: { changed } });
  const agent = await harness.joinedAgent("edge");
  const { id: clusterId } = (await harness.cluster("edge")).metadata;
  const { graph } = harness.store;
  const now = async (): Promise<Record<string, unknown>> => {
    const found: Record<string, unknown> = {};
    for await (const page of graph.current(clusterId)) {
      for (const { uid, facts } of page) found[uid] = JSON.parse(facts).properties.image;
    }
    return found;
  };
  return { harness, agent, graph, changed, clusterId, now, ...(await openReport(agent)) };
}

async function openReport(agent: TestAgent) {
  const session = await agent.open();
  return { session, report: new TestReport(agent, session) };
}

describe("a report of the graph", () => {
  test("is stored batch by batch, and who keeps the graph is told that it has changed", async () => {
    const { report, changed, clusterId, graph, now } = await setup();
    expect(await report.begin(1, "pod-1", ReportTopic.GRAPH)).toMatchObject({ storedSequence: 0n });
    expect(report.known).toEqual([]);
    expect(await report.batch(1, says("u1", "a"), says("u2", "a"))).toMatchObject({ refused: [] });
    expect(changed.mock.calls).toEqual([[clusterId]]);
    await report.batch(2, says("u1", "b"), gone("u2"), coverage("Secret", CoverageState.FORBIDDEN));
    await report.batch(3, view("pods-by-phase", { Running: 2n }));
    expect(await report.complete(4)).toMatchObject({ sequence: 4n });
    expect(await now()).toEqual({ u1: "b" });
    expect(await graph.coverage(clusterId)).toMatchObject([
      { kind: "Secret", state: "forbidden", message: "red  [31malert" },
    ]);
    expect((await graph.views.list({ clusterIds: [clusterId] })).items).toMatchObject([
      { name: "pods-by-phase", content: '{"Running":2}' },
    ]);
    expect(await graph.state(clusterId)).toMatchObject({ complete: true, objects: 1 });
  });

  test("that something may not be read is a condition of the Cluster, on which Ready does not depend", async () => {
    const { report, harness } = await setup();
    const conditions = async (): Promise<Record<string, string>> => {
      const { status } = await harness.cluster("edge");
      return Object.fromEntries(status.conditions.map(({ type, reason }) => [type, reason]));
    };
    // Nobody provisions it here.
    const Ready = "Progressing";
    await report.begin(1, "pod-1", ReportTopic.GRAPH);
    await report.batch(1, coverage("Node", CoverageState.FORBIDDEN), coverage("Pod", CoverageState.OBSERVED));
    await expect.poll(conditions).toMatchObject({ Observed: "Forbidden", Ready });
    await report.batch(2, coverage("Node", CoverageState.OBSERVED));
    await expect.poll(conditions).toMatchObject({ Observed: "Observed", Ready });
  });

  test("of an agent that starts anew begins with what is known, and one that goes on is told nothing", async () => {
    const { report, agent, now } = await setup();
    await report.begin(1, "pod-1", ReportTopic.GRAPH);
    await report.batch(1, ...Array.from({ length: 500 }, (_, index) => says(`u${index}`, "a")));
    await report.batch(2, ...Array.from({ length: 100 }, (_, index) => says(`v${index}`, "a")));
    await report.batch(3, says("node", "n", { kind: "Node", namespace: "" }), gone("v0"));

    const again = await openReport(agent);
    expect(await again.report.begin(1, "pod-1", ReportTopic.GRAPH)).toMatchObject({ storedSequence: 3n });
    expect(again.report.known).toEqual([]);

    const anew = await openReport(agent);
    expect(await anew.report.begin(2, "pod-1", ReportTopic.GRAPH)).toMatchObject({ storedSequence: 0n });
    const objects = anew.report.known.flatMap((page) => page.objects);
    expect(anew.report.known.length).toBeGreaterThan(1);
    expect(objects.flatMap(({ uids }) => uids)).toHaveLength(600);
    const node = objects.find(({ kind }) => kind === "Node");
    expect(node).toMatchObject({ group: "", namespace: "", uids: ["node"] });
    expect(Buffer.from(node?.digests ?? [])).toEqual(factsDigest(podText("n")));
    const lengths = objects.map(({ uids, digests }) => digests.length - 8 * uids.length);
    expect(new Set(lengths)).toEqual(new Set([0]));

    await anew.report.batch(1, says("u0", "b"), gone("u1"));
    await anew.report.complete(2);
    const left = await now();
    expect(left["u0"]).toBe("b");
    expect(Object.keys(left)).toHaveLength(599);
  });

  test("tells of each item that is not stored why, and stores the others", async () => {
    const { report, now } = await setup();
    await report.begin(1, "pod-1", ReportTopic.GRAPH);
    const digested = (bytes: Buffer) => ({ facts: bytes, digest: factsDigest(bytes.toString()) });
    const { refused } = await report.batch(
      1,
      says("", "a"),
      says("u1", "a", { kind: "Po\u001Bd" }),
      says("u2", "a", { name: "" }),
      says("u3", "a", digested(Buffer.from("[]"))),
      says("u4", "a", digested(Buffer.from('{"properties":{'))),
      says("u5", "a", digested(Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]))),
      says("u6", "a", digested(Buffer.from(`{"properties":{"x":"${"x".repeat(768 * 1024)}"}}`))),
      says("u7", "a", { digest: Buffer.alloc(8) }),
      says("u8", "a", { digest: Buffer.alloc(1_000) }),
      coverage("Pod", CoverageState.UNSPECIFIED),
      view("", {}),
      view("large", { running: 2n ** 60n }),
      observed("u9"),
      {},
      says("good", "a"),
    );
    expect(refused.map(({ index, reason }) => [index, reason.split(" ").slice(0, 4).join(" ")])).toEqual([
      [0, "The object has no"],
      [1, "The kind, the namespace"],
      [2, "The kind, the namespace"],
      [3, "The facts are not"],
      [4, "The facts are not"],
      [5, "The facts are not"],
      [6, "The facts are longer"],
      [7, "The digest is not"],
      [8, "The digest is not"],
      [9, "This server does not"],
      [10, "The view has no"],
      [11, "The view has no"],
      [12, "This server does not"],
      [13, "This server does not"],
    ]);
    expect(await now()).toEqual({ good: "a" });
  });

  test("that the database does not take delays no report of workloads, and waits itself", async () => {
    const { report, agent, session, graph, harness } = await setup();
    await report.begin(1, "pod-1", ReportTopic.GRAPH);
    const held = Promise.withResolvers<void>();
    const store = vi.spyOn(graph, "store").mockImplementation(async () => {
      await held.promise;
      return { isNew: true, refused: [], isChange: false };
    });
    for (let sequence = 1; sequence <= 10; sequence++) report.sendBatch(sequence, [says("u1", "a")]);
    await expect.poll(() => store.mock.calls.length).toBe(4);

    const workloads = new TestReport(agent, session);
    expect(await workloads.begin(1)).toMatchObject({ storedSequence: 0n });
    expect(await workloads.complete(1)).toMatchObject({ sequence: 1n });
    expect(store).toHaveBeenCalledTimes(4);
    held.resolve();
    for (let sequence = 1; sequence <= 10; sequence++) {
      expect(await report.ack()).toMatchObject({ sequence: BigInt(sequence) });
    }
    expect(await harness.store.reports.cursor((await harness.cluster("edge")).metadata.id)).toMatchObject({
      complete: true,
    });
  });

  test("is about the cluster of its agent, whatever else is known", async () => {
    const { report, harness, now } = await setup();
    await report.begin(1, "pod-1", ReportTopic.GRAPH);
    await report.batch(1, says("u1", "mine"));
    const other = await openReport(await harness.joinedAgent("other"));
    await other.report.begin(1, "pod-1", ReportTopic.GRAPH);
    expect(other.report.known).toEqual([]);
    await other.report.batch(1, gone("u1"), says("u1", "theirs"));
    expect(await now()).toEqual({ u1: "mine" });
  });
});
