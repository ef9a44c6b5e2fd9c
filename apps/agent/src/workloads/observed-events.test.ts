import { describe, expect, test } from "vitest";

import { ObservedCluster } from "../testing/observed-cluster.ts";
import { deployment, event, pod } from "../testing/sample-objects.ts";

describe("events", () => {
  test("of both APIs come with their times and counts, and repeated ones come again", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("pods", pod, { name: "web-1" });
    cluster.setWorkload("shop", "/Pod default/web-1");
    cluster.create("events", event(web.metadata.uid), { name: "old-api" });
    cluster.create(
      "events",
      {
        ...event(web.metadata.uid),
        count: undefined,
        firstTimestamp: null,
        lastTimestamp: null,
        eventTime: "2026-01-01T00:00:05.000000Z",
        series: { count: 7, lastObservedTime: "2026-01-01T00:01:00.000000Z" },
        action: "A",
        reportingComponent: "c",
        reportingInstance: "i",
      },
      { name: "new-api" },
    );
    const seen = cluster.observe();
    await expect.poll(() => seen.events.length).toBe(2);
    const times = seen.events.map(({ count, firstSeenAt, lastSeenAt }) => [
      count,
      Number(firstSeenAt?.seconds),
      Number(lastSeenAt?.seconds),
    ]);
    const start = Date.UTC(2026, 0, 1) / 1000;
    expect(times).toEqual(
      expect.arrayContaining([
        [1, start, start + 10],
        [7, start + 5, start + 60],
      ]),
    );
    const first = cluster.sim.api.get("events", "default", "old-api");
    if (first === undefined) throw new Error("There is no event.");
    cluster.sim.api.update("events", { ...first, count: 2, lastTimestamp: "2026-01-01T00:02:00Z" });
    await expect.poll(() => seen.events.at(-1)).toMatchObject({ uid: first.metadata.uid, count: 2 });
    expect(seen.events.at(-1)?.lastSeenAt?.seconds).toBe(BigInt(start + 120));
  });

  test("find their workload when their pod is gone already, or is named and has not been seen", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("pods", pod, { name: "web-1" });
    cluster.setWorkload("shop", "/Pod default/web-1", "/Service default/never");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toEqual(["Pod web-1 of shop"]);
    cluster.sim.api.delete("pods", "default", "web-1", { gracePeriodSeconds: 0 });
    await expect.poll(() => seen.gone).toEqual(["web-1"]);
    cluster.setWorkload("shop", "/Service default/never", "/Pod default/web-2");
    cluster.create("events", event(web.metadata.uid, { reason: "Killing" }), { name: "late" });
    const never = { kind: "Service", name: "never", uid: "", apiVersion: "v1", namespace: "default" };
    cluster.create("events", event("", { involvedObject: never, reason: "NoUid" }), { name: "without-uid" });
    const stranger = { kind: "Pod", name: "other", uid: "other", apiVersion: "v1", namespace: "default" };
    cluster.create("events", event("", { involvedObject: stranger }), { name: "of-a-stranger" });
    await expect
      .poll(() => seen.events.map(({ reason, workload }) => `${reason} of ${workload}`).sort())
      .toEqual(["Killing of shop", "NoUid of shop"]);
  });

  test("an agent that starts again tells the same events once more, and no others", async () => {
    const cluster = await ObservedCluster.start({ controllers: true, nodes: 1 });
    cluster.create("deployments.apps", deployment("web"), { name: "web" });
    cluster.setWorkload("shop", "apps/Deployment default/web");
    // Events of pods come until these are ready.
    await expect
      .poll(() => cluster.sim.api.get("deployments.apps", "default", "web"))
      .toMatchObject({ spec: { replicas: 2 }, status: { availableReplicas: 2 } });
    await cluster.sim.settled();
    const tell = async (): Promise<string[]> => {
      const seen = cluster.observe();
      const all = [...cluster.sim.api.list("events")];
      const expected = all.filter((each) => !isAboutNode(each)).length;
      await expect.poll(() => seen.events.length).toBe(expected);
      await seen.stop();
      return seen.events.map(({ uid, count }) => `${uid} ${count}`).sort();
    };
    const [first, second] = [await tell(), await tell()];
    expect(second).toEqual(first);
    expect(first.length).toBeGreaterThan(4);
  });
});

const isAboutNode = ({ involvedObject: about }: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(about).includes('"Node"');
