import { ManualClock } from "@bowline/core/testing";
import { describe, expect, onTestFinished, test } from "vitest";

import { clientOf, ObservedCluster } from "../testing/observed-cluster.ts";

const deployment = (name: string, image = "web:1"): object => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name },
  spec: {
    replicas: 2,
    selector: { matchLabels: { app: name } },
    template: {
      metadata: { labels: { app: name } },
      spec: { containers: [{ name: "web", image }] },
    },
  },
});

const pod = (owner?: {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { name: string; uid: string };
}) => ({
  object: { apiVersion: "v1", kind: "Pod", spec: { containers: [{ name: "a", image: "a:1" }] } },
  more:
    owner === undefined
      ? {}
      : {
          ownerReferences: [
            {
              apiVersion: owner.apiVersion,
              kind: owner.kind,
              name: owner.metadata.name,
              uid: owner.metadata.uid,
              controller: true,
            },
          ],
        },
});

const event = (uid: string, more: object = {}): object => ({
  apiVersion: "v1",
  kind: "Event",
  involvedObject: { apiVersion: "v1", kind: "Pod", namespace: "default", name: "web-1", uid },
  type: "Warning",
  reason: "BackOff",
  message: "Back-off restarting failed container",
  count: 1,
  firstTimestamp: "2026-01-01T00:00:00Z",
  lastTimestamp: "2026-01-01T00:00:10Z",
  ...more,
});

describe("what a Workload names, and what that owns, is reported", () => {
  test("of a Deployment its ReplicaSet and its pods, by their owners and not by labels", async () => {
    const cluster = await ObservedCluster.start({ controllers: true, nodes: 1 });
    cluster.create("deployments.apps", deployment("web"), { name: "web" });
    cluster.setWorkload("shop", "apps/Deployment default/web");
    const seen = cluster.observe();
    await expect
      .poll(() => seen.state.map((each) => each.replace(/web-\S+/u, "web-…")))
      .toEqual([
        "Deployment web of shop",
        "Pod web-… of shop",
        "Pod web-… of shop",
        "ReplicaSet web-… of shop",
      ]);
    await expect.poll(() => seen.facts("web")["status"]).toMatchObject({ availableReplicas: 2 });
    const ofDeployment = seen.objects.find(({ ref }) => ref?.kind === "Deployment");
    const ofSet = seen.objects.find(({ ref }) => ref?.kind === "ReplicaSet");
    expect([ofDeployment?.ownerUid, ofSet?.ownerUid]).toEqual(["", ofDeployment?.ref?.uid]);
    expect(ofDeployment?.ref?.apiVersion).toBe("apps/v1");
  });

  test("of a CronJob its Jobs and their pods, and of a custom resource whatever it owns pods through", async () => {
    const cluster = await ObservedCluster.start();
    const { sim } = cluster;
    sim.api.create("customresourcedefinitions.apiextensions.k8s.io", widgets("widgets", "Widget"));
    sim.api.create("customresourcedefinitions.apiextensions.k8s.io", widgets("widgetsets", "WidgetSet"));
    await cluster.served("/apis/example.com/v1/widgetsets");
    const cron = cluster.create("cronjobs.batch", cronJob, { name: "nightly" });
    const job = cluster.create("jobs.batch", jobBody, { name: "nightly-1", ...pod(cron).more });
    cluster.create("pods", pod().object, { name: "nightly-1-a", ...pod(job).more });
    const widget = cluster.create("widgets.example.com", widgetBody("Widget"), { name: "big" });
    const set = cluster.create("widgetsets.example.com", widgetBody("WidgetSet"), {
      name: "big-set",
      ...pod(widget).more,
    });
    cluster.create("pods", pod().object, { name: "big-set-0", ...pod(set).more });
    cluster.create("pods", pod().object, { name: "stranger" });
    cluster.setWorkload("night", "batch/CronJob default/nightly");
    cluster.setWorkload("wide", "example.com/Widget default/big");
    const seen = cluster.observe();
    await expect
      .poll(() => seen.state)
      .toEqual([
        "CronJob nightly of night",
        "Job nightly-1 of night",
        "Pod big-set-0 of wide",
        "Pod nightly-1-a of night",
        "Widget big of wide",
        "WidgetSet big-set of wide",
      ]);
  });

  test("an object that is there before its Workload, or is seen before its owner", async () => {
    const cluster = await ObservedCluster.start();
    cluster.setWorkload("first", "apps/Deployment default/first");
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    await expect.poll(() => cluster.sim.openWatches).toBe(5);
    const stalled = cluster.sim.faults.stallWatches({ resource: "replicasets.apps" });
    const web = cluster.create("deployments.apps", deployment("web"), { name: "web" });
    const set = cluster.create("replicasets.apps", replicaSet(2), { name: "web-1", ...pod(web).more });
    const late = cluster.create("pods", pod().object, { name: "web-1-a", ...pod(set).more });
    cluster.create("events", event(late.metadata.uid), { name: "web-1-a.1" });
    await expect.poll(() => seen.observer.objects).toBe(2);
    cluster.setWorkload("shop", "apps/Deployment default/web");
    await expect.poll(() => seen.state).toEqual(["Deployment web of shop"]);
    stalled.remove();
    await expect
      .poll(() => seen.state)
      .toEqual(["Deployment web of shop", "Pod web-1-a of shop", "ReplicaSet web-1 of shop"]);
    await expect.poll(() => seen.events.map(({ workload }) => workload)).toEqual(["shop"]);
  });

  test("no ReplicaSet that a Deployment only keeps to go back to", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("deployments.apps", deployment("web"), { name: "web" });
    const set = cluster.create("replicasets.apps", replicaSet(1), { name: "web-1", ...pod(web).more });
    cluster.create("replicasets.apps", replicaSet(0), { name: "web-0", ...pod(web).more });
    cluster.setWorkload("shop", "apps/Deployment default/web");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toEqual(["Deployment web of shop", "ReplicaSet web-1 of shop"]);
    const latest = cluster.sim.api.get("replicasets.apps", "default", "web-1") ?? set;
    cluster.sim.api.update("replicasets.apps", {
      ...latest,
      spec: { ...specOf(latest), replicas: 0 },
    });
    await expect.poll(() => seen.state).toEqual(["Deployment web of shop"]);
  });

  test("an object that is taken out of its Workload, and everything when the Workload goes", async () => {
    const cluster = await ObservedCluster.start();
    for (const name of ["a", "b", "c"]) cluster.create("services", service, { name });
    cluster.setWorkload("shop", "/Service default/a", "/Service default/b");
    cluster.setWorkload("other", "/Service default/c");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toHaveLength(3);
    cluster.setWorkload("shop", "/Service default/a");
    await expect.poll(() => seen.gone).toEqual(["b"]);
    cluster.removeWorkload("shop");
    await expect.poll(() => seen.state).toEqual(["Service c of other"]);
  });
});

describe("watches", () => {
  test("a hundred updates of a Workload that change nothing leave them as they are", async () => {
    const cluster = await ObservedCluster.start();
    cluster.create("services", service, { name: "a" });
    const workload = cluster.setWorkload("shop", "/Service default/a", "apps/Deployment default/web");
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    await expect.poll(() => cluster.sim.openWatches).toBe(6);
    const [before, told] = [seen.observer.watches(), seen.items.length];
    for (let count = 0; count < 100; count++) {
      const latest = cluster.sim.api.get("workloads.bowline.dev", undefined, "shop") ?? workload;
      const metadata = { ...latest.metadata, annotations: { count: String(count) } };
      cluster.sim.api.update("workloads.bowline.dev", { ...latest, metadata });
    }
    cluster.create("services", service, { name: "last" });
    await expect.poll(() => seen.observer.objects).toBe(2);
    expect(seen.observer.watches().map(({ kind }) => kind)).toEqual(before.map(({ kind }) => kind));
    expect([cluster.sim.openWatches, seen.items.length]).toEqual([6, told]);
  });

  test("grow with kinds and not with objects, and end with the last Workload that needs them", async () => {
    const cluster = await ObservedCluster.start();
    for (let count = 0; count < 50; count++)
      cluster.setWorkload(`w${count}`, `apps/Deployment default/web-${count}`);
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    const kinds = (): string[] =>
      seen.observer
        .watches()
        .map(({ kind }) => kind)
        .sort();
    await expect
      .poll(kinds)
      .toEqual(["/Event", "/Pod", "apps/Deployment", "apps/ReplicaSet", "bowline.dev/Workload"]);
    for (let count = 1; count < 50; count++) cluster.removeWorkload(`w${count}`);
    cluster.setWorkload("w0", "networking.k8s.io/Ingress default/a");
    await expect.poll(kinds).toEqual(["/Event", "bowline.dev/Workload", "networking.k8s.io/Ingress"]);
    await expect.poll(() => cluster.sim.openWatches).toBe(3);
    expect(seen.observer.objects).toBe(0);
  });

  test("that the API server ends, cuts or has forgotten go on, and tell what went meanwhile", async () => {
    const cluster = await ObservedCluster.start();
    for (const name of ["a", "b"]) cluster.create("services", service, { name });
    cluster.setWorkload("shop", "/Service default/a", "/Service default/b");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toHaveLength(2);
    const failing = cluster.sim.faults.failRequests({ resource: "services", code: 500 });
    cluster.sim.faults.dropWatches({});
    await expect.poll(() => failing.hits).toBeGreaterThan(0);
    cluster.sim.api.delete("services", "default", "a");
    cluster.sim.faults.compact();
    failing.remove();
    await expect.poll(() => seen.state, { timeout: 20_000 }).toEqual(["Service b of shop"]);
    expect(seen.gone).toEqual(["a"]);
  });

  test("a kind that is missing or forbidden disturbs no other, is named with the rule to add, and is taken up later", async () => {
    const cluster = await ObservedCluster.start();
    const { sim } = cluster;
    cluster.create("services", service, { name: "a" });
    cluster.create("secrets", { apiVersion: "v1", kind: "Secret" }, { name: "keys" });
    cluster.setWorkload(
      "shop",
      "example.com/Widget default/big",
      "/Secret default/keys",
      "/Service default/a",
      "/Service default/none",
    );
    const refusing = sim.faults.failRequests({ resource: "secrets", code: 403 });
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toEqual(["Service a of shop"]);
    await expect.poll(() => seen.isComplete).toBe(true);
    await expect
      .poll(() => seen.events.map(({ reason = "" }) => reason).sort())
      .toEqual(["KindUnknown", "WatchForbidden"]);
    const forbidden = seen.events.find(({ reason }) => reason === "WatchForbidden");
    expect(forbidden).toMatchObject({
      workload: "shop",
      regarding: { kind: "Workload", name: "shop" },
      type: "Warning",
    });
    expect(forbidden?.message).toContain(
      '{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list","watch"]}',
    );
    expect([...seen.observer.problems().keys()].sort()).toEqual(["/Secret", "example.com/Widget"]);
    const tried = refusing.hits;
    refusing.remove();
    sim.api.create("customresourcedefinitions.apiextensions.k8s.io", widgets("widgets", "Widget"));
    await cluster.served("/apis/example.com/v1/widgets");
    cluster.create("widgets.example.com", widgetBody("Widget"), { name: "big" });
    await expect
      .poll(() => seen.state, { timeout: 30_000 })
      .toEqual(["Secret keys of shop", "Service a of shop", "Widget big of shop"]);
    expect(tried).toBeLessThan(10);
    expect(seen.events).toHaveLength(2);
  }, 60_000);

  test.each([
    ["cannot be found are asked for again soon", 404, [800, 1_600, 2_000, 2_000, 2_000]],
    ["are forbidden are asked for less and less", 403, [800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000]],
  ])("Workloads that %s", async (_, code, pauses) => {
    const cluster = await ObservedCluster.start();
    const failing = cluster.sim.faults.failRequests({ resource: "workloads.bowline.dev", code });
    const clock = new ManualClock();
    cluster.observe({ clock, random: () => 0 });
    for (const [index, pauseMs] of pauses.entries()) {
      await clock.armed(pauseMs);
      expect(failing.hits).toBe(index + 1);
      await clock.advance(pauseMs);
    }
  });

  test("an observer may be stopped at any moment, and leaves nothing open", async () => {
    const cluster = await ObservedCluster.start();
    cluster.setWorkload("shop", "apps/Deployment default/web");
    for (let turns = 0; turns < 12; turns++) {
      const seen = cluster.observe();
      for (let turn = 0; turn < turns * 3; turn++) await new Promise((resolve) => setImmediate(resolve));
      await seen.stop();
      await seen.stop();
    }
    await expect.poll(() => cluster.sim.openWatches).toBe(0);
  });
});

describe("events", () => {
  test("of both APIs come with their times and counts, and repeated ones come again", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("pods", pod().object, { name: "web-1" });
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
    const web = cluster.create("pods", pod().object, { name: "web-1" });
    cluster.setWorkload("shop", "/Pod default/web-1", "/Service default/never");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toEqual(["Pod web-1 of shop"]);
    cluster.sim.api.delete("pods", "default", "web-1", { gracePeriodSeconds: 0 });
    await expect.poll(() => seen.gone).toEqual(["web-1"]);
    cluster.setWorkload("shop", "/Service default/never", "/Pod default/web-2");
    cluster.create("events", event(web.metadata.uid, { reason: "Killing" }), { name: "late" });
    const never = { kind: "Service", name: "never", uid: "", apiVersion: "v1", namespace: "default" };
    cluster.create("events", event("", { involvedObject: never, reason: "NoUid" }), { name: "without-uid" });
    cluster.create("events", event("of-somebody-else"), { name: "stranger" });
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

describe("what is kept and told", () => {
  test("no value of a Secret, an environment or a last-applied configuration leaves the agent", async () => {
    const cluster = await ObservedCluster.start();
    const canary = "CANARY-7f3a";
    const metadata = {
      annotations: {
        "kubectl.kubernetes.io/last-applied-configuration": `{"data":"${canary}"}`,
        note: canary,
      },
      labels: { note: canary },
    };
    const value = Buffer.from(canary).toString("base64");
    cluster.create(
      "secrets",
      { apiVersion: "v1", kind: "Secret", data: { password: value } },
      { name: "keys", ...metadata },
    );
    cluster.create("configmaps", { data: { password: canary } }, { name: "settings", ...metadata });
    const env = [{ name: "PASSWORD", value: canary }];
    cluster.create(
      "pods",
      {
        apiVersion: "v1",
        kind: "Pod",
        spec: { containers: [{ name: "a", image: "a:1", env, args: [canary] }] },
      },
      { name: "web-1", ...metadata },
    );
    cluster.setWorkload("shop", "/Secret default/keys", "/ConfigMap default/settings", "/Pod default/web-1");
    const seen = cluster.observe();
    await expect.poll(() => seen.state).toHaveLength(3);
    cluster.setWorkload("more", "/Secret default/other");
    cluster.create(
      "secrets",
      { apiVersion: "v1", kind: "Secret", data: { password: value } },
      { name: "other", ...metadata },
    );
    await expect.poll(() => seen.state).toHaveLength(4);
    const told = JSON.stringify(seen.items, (_, part: unknown) =>
      typeof part === "bigint" ? String(part) : part,
    );
    expect(told).not.toContain(canary);
    expect(told).not.toContain(value);
  });

  test("whoever may read metadata of Secrets only is not asked for more", async () => {
    const cluster = await ObservedCluster.start();
    const accepts: string[] = [];
    cluster.create("secrets", { apiVersion: "v1", kind: "Secret" }, { name: "keys" });
    cluster.setWorkload("shop", "/Secret default/keys");
    const client = await clientOf(cluster.sim);
    const { transport } = client;
    const request = transport.request.bind(transport);
    transport.request = (asked) => {
      if (asked.path.includes("/secrets")) accepts.push(asked.headers?.["accept"] ?? "");
      return request(asked);
    };
    onTestFinished(() => void (transport.request = request));
    const seen = cluster.observe({ client });
    await expect.poll(() => seen.state).toEqual(["Secret keys of shop"]);
    expect(accepts.length).toBeGreaterThan(0);
    for (const accept of accepts) expect(accept).toContain("PartialObjectMetadata");
  });

  test("an update that changes nothing of its health is not told again", async () => {
    const cluster = await ObservedCluster.start();
    const web = cluster.create("services", service, { name: "a" });
    cluster.setWorkload("shop", "/Service default/a");
    const seen = cluster.observe();
    await expect.poll(() => seen.isComplete).toBe(true);
    const labelled = { ...web, metadata: { ...web.metadata, labels: { a: "b" } } };
    cluster.sim.api.update("services", labelled);
    cluster.setWorkload("shop", "/Service default/a", "/Service default/b");
    cluster.create("services", service, { name: "b" });
    await expect.poll(() => seen.state).toHaveLength(2);
    expect(seen.objects.map(({ ref }) => ref?.name)).toEqual(["a", "b"]);
  });

  test("when there is no room, objects and events are read again as soon as there is", async () => {
    const cluster = await ObservedCluster.start();
    const names = Array.from({ length: 40 }, (_, index) => `s-${index}`);
    for (const name of names) {
      const { metadata } = cluster.create("services", service, { name });
      const about = { apiVersion: "v1", kind: "Service", namespace: "default", name, uid: metadata.uid };
      cluster.create("events", event("", { involvedObject: about }), { name });
    }
    cluster.setWorkload("shop", ...names.map((name) => `/Service default/${name}`));
    const seen = cluster.observe({ limits: { maxItems: 1000, maxBytes: 8_000 } });
    seen.isAway = true;
    await expect.poll(() => seen.observer.deferred).toBeGreaterThan(20);
    expect(seen.queue.bytes).toBeLessThanOrEqual(8_000);
    seen.back();
    await expect.poll(() => [seen.state.length, seen.events.length]).toEqual([40, 40]);
    await expect.poll(() => seen.isComplete).toBe(true);
    expect(seen.counts.dropped).toBe(0);
  });
});

const specOf = ({ spec }: Readonly<Record<string, unknown>>): object =>
  typeof spec === "object" && spec !== null ? spec : {};

const isAboutNode = ({ involvedObject: about }: Readonly<Record<string, unknown>>): boolean =>
  JSON.stringify(about).includes('"Node"');

const service = {
  apiVersion: "v1",
  kind: "Service",
  spec: { ports: [{ port: 80 }], selector: { a: "b" } },
};

const replicaSet = (replicas: number): object => ({
  apiVersion: "apps/v1",
  kind: "ReplicaSet",
  spec: {
    replicas,
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: { labels: { app: "web" } },
      spec: { containers: [{ name: "web", image: "web:1" }] },
    },
  },
});

const template = { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "a:1" }] } };
const jobBody = { apiVersion: "batch/v1", kind: "Job", spec: { template } };
const cronJob = {
  apiVersion: "batch/v1",
  kind: "CronJob",
  spec: { schedule: "0 0 * * *", jobTemplate: { spec: { template } } },
};

const widgetBody = (kind: string): object => ({ apiVersion: "example.com/v1", kind, spec: {} });

function widgets(plural: string, kind: string) {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.example.com` },
    spec: {
      group: "example.com",
      scope: "Namespaced",
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: "v1", served: true, storage: true, schema }],
    },
  };
}
