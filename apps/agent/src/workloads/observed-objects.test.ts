import { ManualClock } from "@bowline/core/testing";
import { describe, expect, test } from "vitest";

import { ReportQueue } from "../report/report-queue.ts";
import { ObservedCluster } from "../testing/observed-cluster.ts";
import {
  cronJob,
  deployment,
  event,
  jobBody,
  ownedBy,
  pod,
  replicaSet,
  service,
  widgetBody,
  widgets,
} from "../testing/sample-objects.ts";
import { GoneOwners } from "./gone-owners.ts";
import { ObservationSink } from "./observation-sink.ts";
import { ObservedObjects } from "./observed-objects.ts";
import { Ownership, type OwnedObject } from "./ownership.ts";
import { nameKey } from "./watched-workload.ts";

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
    const job = cluster.create("jobs.batch", jobBody, { name: "nightly-1", ...ownedBy(cron) });
    cluster.create("pods", pod, { name: "nightly-1-a", ...ownedBy(job) });
    const widget = cluster.create("widgets.example.com", widgetBody("Widget"), { name: "big" });
    const set = cluster.create("widgetsets.example.com", widgetBody("WidgetSet"), {
      name: "big-set",
      ...ownedBy(widget),
    });
    cluster.create("pods", pod, { name: "big-set-0", ...ownedBy(set) });
    cluster.create("pods", pod, { name: "stranger" });
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
    const set = cluster.create("replicasets.apps", replicaSet(2), { name: "web-1", ...ownedBy(web) });
    const late = cluster.create("pods", pod, { name: "web-1-a", ...ownedBy(set) });
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
    const set = cluster.create("replicasets.apps", replicaSet(1), { name: "web-1", ...ownedBy(web) });
    cluster.create("replicasets.apps", replicaSet(0), { name: "web-0", ...ownedBy(web) });
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

const specOf = ({ spec }: Readonly<Record<string, unknown>>): object =>
  typeof spec === "object" && spec !== null ? spec : {};

describe("an object that a Workload names, or names no more, while its watch begins anew", () => {
  const named = { kind: { group: "", kind: "ConfigMap" }, namespace: "shop", name: "more" };
  const place = { kind: "/ConfigMap", namespace: "shop", name: "more", uid: "u", owner: undefined };
  const object = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "more", namespace: "shop", uid: "u" },
  };

  function start() {
    const clock = new ManualClock();
    const ownership = new Ownership(new GoneOwners(clock));
    const queue = new ReportQueue();
    const toFetch = new Set<OwnedObject>();
    const objects = new ObservedObjects({
      ownership,
      sink: new ObservationSink(queue, clock),
      fetcher: { add: (each) => void toFetch.add(each), delete: (each) => toFetch.delete(each) },
      // Nobody has read the kind yet.
      watchOf: () => undefined,
      tellEvents: () => {},
    });
    const key = nameKey("/ConfigMap", "shop", "more");
    return { ownership, queue, objects, toFetch, key };
  }

  test("is told when it is seen again", () => {
    const { ownership, queue, objects, key } = start();
    objects.seen(place, object);
    expect(queue.size).toBe(0);
    ownership.name(key, "web");
    objects.review(named);
    objects.seen(place, object);
    expect([queue.size, ownership.get("u")?.workload]).toEqual([1, "web"]);
  });

  test("is told as it was last seen when the server has applied it, and read only when that is not known", () => {
    const { ownership, queue, objects, toFetch, key } = start();
    const managedFields = [{ manager: "bowline", operation: "Apply" as const, fieldsV1: {} }];
    const version = (resourceVersion: string) => ({
      ...object,
      metadata: { ...object.metadata, resourceVersion, managedFields },
    });
    objects.seen(place, version("1"));
    objects.seen(place, version("2"));
    ownership.name(key, "web");
    objects.review(named);
    expect([queue.size, toFetch.size, ownership.get("u")?.workload]).toEqual([1, 0, "web"]);
    const taken = queue.take({ maxItems: 10, maxBytes: 10_000 });
    expect(taken).toMatchObject({
      items: [{ item: { item: { value: { resourceVersion: "2" } } } }],
    });
    objects.review(named);
    expect(toFetch.size).toBe(1);
  });

  test("is told to be nobody's", () => {
    const { ownership, objects, key } = start();
    ownership.name(key, "web");
    objects.seen(place, object);
    ownership.unname(key, "web");
    objects.review(named);
    expect(ownership.get("u")?.workload).toBeUndefined();
  });
});
