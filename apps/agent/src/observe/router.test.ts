import type { FieldMask } from "@bowline/kube";
import { describe, expect, onTestFinished, test } from "vitest";

import { MovingClock } from "../testing/moving-clock.ts";
import { ObservedCluster } from "../testing/observed-cluster.ts";
import { pod, service } from "../testing/sample-objects.ts";
import { silentLogger } from "../testing/session-fixture.ts";
import type { WantedKinds } from "./kind-watches.ts";
import { kindKey, splitKind, type KubeMessage } from "./kube-message.ts";
import { Router, type Subscription } from "./router.ts";

/** A consumer that writes down what it was told. */
class Listener {
  readonly messages: KubeMessage[] = [];
  readonly subscription: Subscription;
  room = Number.POSITIVE_INFINITY;
  fails = (_message: KubeMessage): boolean => false;

  constructor(router: Router, name: string) {
    this.subscription = router.subscribe({
      name,
      hasRoom: () => this.room > 0,
      accept: (message) => {
        // Every cluster has this Service.
        if (message.action !== "restarted" && message.place.name === "kubernetes") return true;
        if (this.fails(message)) throw new Error("It cannot.");
        if (message.action === "applied") {
          if (this.room <= 0) return false;
          this.room -= 1;
        }
        this.messages.push(message);
        return true;
      },
    });
  }

  /** `applied a`, `deleted a`, `restarted`. */
  get said(): string[] {
    return this.messages.map((message) =>
      message.action === "restarted" ? "restarted" : `${message.action} ${message.place.name}`,
    );
  }
}

function wanting(fields: FieldMask, ...keys: string[]): WantedKinds {
  return new Map(keys.map((key) => [kindKey(splitKind(key)), { ...splitKind(key), fields }]));
}

async function start(observesSecrets = true) {
  const cluster = await ObservedCluster.start();
  const stop = new AbortController();
  const clock = new MovingClock();
  const router = new Router({
    client: cluster.client,
    observesSecrets,
    clock,
    random: Math.random,
    logger: silentLogger,
    signal: stop.signal,
  });
  onTestFinished(async () => {
    stop.abort();
    await router.stop();
    await expect.poll(() => cluster.sim.openWatches).toBe(0);
  });
  return { cluster, router, clock, listener: (name: string) => new Listener(router, name) };
}

const metadata: FieldMask = { metadata: { labels: true } };

describe("the router", () => {
  test("tells each consumer of the kinds that it wants, by one watch of each", async () => {
    const { cluster, clock, listener } = await start();
    cluster.create("services", service, { name: "a" });
    const [one, other] = [listener("one"), listener("other")];
    one.subscription.want(wanting(metadata, "/Service", "/Pod"));
    other.subscription.want(wanting({ spec: { selector: true } }, "/Service"));
    await clock.until(() => other.said).toEqual(["applied a", "restarted"]);
    // Pods are read after what may own them.
    one.subscription.want(wanting(metadata, "/Service", "/Pod"));
    await clock.until(() => one.subscription.isSettled).toBe(true);
    const labelled = { name: "p", labels: { app: "web" } };
    const { uid } = cluster.create("pods", pod, labelled).metadata;
    cluster.sim.api.delete("services", "default", "a");
    await clock.until(() => other.said).toEqual(["applied a", "restarted", "deleted a"]);
    await clock.until(() => one.said.slice(-2).sort()).toEqual(["applied p", "deleted a"]);
    expect(other.messages[0]).toMatchObject({
      kind: "/Service",
      namespace: "default",
      // What either needs is there for both.
      object: { metadata: { name: "a" }, spec: { selector: { a: "b" } } },
    });
    const applied = one.messages.find((message) => message.action === "applied" && message.place.uid === uid);
    expect(applied).toMatchObject({ object: { metadata: { labels: { app: "web" } } } });
    expect(applied).not.toHaveProperty("object.spec");
    await clock.until(() => cluster.sim.openWatches).toBe(2);
  });

  test("a consumer that comes later, or comes back, is told everything, and what went meanwhile is known", async () => {
    const { cluster, clock, listener } = await start();
    for (const name of ["a", "b"]) cluster.create("services", service, { name });
    const first = listener("first");
    first.subscription.want(wanting(metadata, "/Service"));
    await clock.until(() => first.said).toHaveLength(3);
    const later = listener("later");
    later.subscription.want(wanting(metadata, "/Service"));
    await clock.until(() => later.said.sort()).toEqual(["applied a", "applied b", "restarted"]);
    expect(first.said.slice(3).sort()).toEqual(["applied a", "applied b", "restarted"]);
    later.subscription.leave();
    const again = listener("later");
    again.subscription.want(wanting(metadata, "/Service"));
    await clock.until(() => again.said).toHaveLength(3);
    expect(later.said).toHaveLength(3);
    expect(again.subscription.watchOf("/Service")?.get("default", "a")?.place.name).toBe("a");
    expect(again.subscription.want(new Map())).toEqual(["/Service"]);
    expect(again.subscription.watchOf("/Service")).toBeUndefined();
    await clock.until(() => cluster.sim.openWatches).toBe(1);
  });

  test("one that throws disturbs no other, and is brought what it failed on", async () => {
    const { cluster, clock, router, listener } = await start();
    const [good, bad] = [listener("good"), listener("bad")];
    bad.fails = ({ action }) => action === "applied" && bad.subscription.counts.failures < 2;
    for (const { subscription } of [good, bad]) subscription.want(wanting(metadata, "/Service"));
    await clock.until(() => good.said).toEqual(["restarted"]);
    cluster.create("services", service, { name: "a" });
    await clock.until(() => good.said).toEqual(["restarted", "applied a"]);
    await clock.until(() => bad.said).toEqual(["restarted", "applied a"]);
    expect(router.consumers()).toMatchObject({
      good: { failures: 0, deferred: 0 },
      bad: { failures: 2, deferred: 2, lost: 0 },
    });
    expect(bad.subscription.deferred).toBe(0);
  });

  test("an object on which one fails always waits for its next change, and is counted", async () => {
    const { cluster, clock, listener } = await start();
    const bad = listener("bad");
    bad.fails = ({ action }) => action === "applied";
    bad.subscription.want(wanting(metadata, "/Service"));
    cluster.create("services", service, { name: "a" });
    await clock.until(() => bad.subscription.counts).toMatchObject({ failures: 4, lost: 1 });
    expect(bad.subscription.deferred).toBe(0);
    bad.fails = () => false;
    const now = cluster.sim.api.get("services", "default", "a");
    const labels = { changed: "yes" };
    if (now !== undefined) {
      cluster.sim.api.update("services", { ...now, metadata: { ...now.metadata, labels } });
    }
    await clock.until(() => bad.said).toContain("applied a");
  });

  test("one without room is brought the latest of everything when it has some, and nothing of what is gone", async () => {
    const { cluster, clock, listener } = await start();
    const [quick, slow] = [listener("quick"), listener("slow")];
    slow.room = 0;
    for (const { subscription } of [quick, slow]) subscription.want(wanting(metadata, "/Service"));
    for (const name of ["a", "b", "c"]) cluster.create("services", service, { name });
    await clock.until(() => slow.subscription.deferred).toBe(3);
    for (const version of ["1", "2"]) {
      const now = cluster.sim.api.get("services", "default", "b");
      if (now === undefined) continue;
      cluster.sim.api.update("services", { ...now, metadata: { ...now.metadata, labels: { version } } });
    }
    cluster.sim.api.delete("services", "default", "c");
    await clock.until(() => quick.said).toContain("deleted c");
    expect(slow.said.filter((each) => each !== "restarted")).toEqual(["deleted c"]);
    expect(slow.subscription.counts).toMatchObject({ deferred: 3, merged: 2 });
    slow.room = 10;
    slow.subscription.resume();
    await clock.until(() => slow.said.sort()).toEqual(["applied a", "applied b", "deleted c", "restarted"]);
    const b = slow.messages.find((message) => message.action === "applied" && message.place.name === "b");
    expect(b).toMatchObject({ object: { metadata: { labels: { version: "2" } } } });
  });

  test("Secrets are left out unless they are to be observed: nothing is asked, and it says so", async () => {
    const { cluster, clock, listener } = await start(false);
    cluster.create("secrets", { kind: "Secret" }, { name: "keys" });
    const asked = cluster.sim.faults.failRequests({ resource: "secrets", code: 500 });
    const one = listener("one");
    one.subscription.want(wanting(metadata, "/Secret", "/Service"));
    await clock.until(() => one.said).toEqual(["restarted"]);
    expect(one.subscription.isSettled).toBe(true);
    expect([...one.subscription.problems()]).toMatchObject([["/Secret", { reason: "WatchForbidden" }]]);
    expect(one.subscription.problems().get("/Secret")?.message).toContain("--observe-secrets");
    expect(asked.hits).toBe(0);
    await clock.until(() => cluster.sim.openWatches).toBe(1);
  });

  test("what is deleted and made anew while nobody looks is two objects", async () => {
    const { cluster, clock, listener } = await start();
    const one = listener("one");
    const first = cluster.create("services", service, { name: "a" });
    one.subscription.want(wanting(metadata, "/Service"));
    await clock.until(() => one.said).toEqual(["applied a", "restarted"]);
    const failing = cluster.sim.faults.failRequests({ resource: "services", code: 500 });
    cluster.sim.faults.dropWatches({});
    await clock.until(() => failing.hits).toBeGreaterThan(0);
    cluster.sim.api.delete("services", "default", "a");
    const second = cluster.create("services", service, { name: "a" });
    cluster.sim.faults.compact();
    failing.remove();
    await clock.until(() => one.said).toEqual(["applied a", "restarted", "deleted a", "applied a"]);
    const uids = one.messages.flatMap((each) => (each.action === "restarted" ? [] : [each.place.uid]));
    expect(uids).toEqual([first.metadata.uid, first.metadata.uid, second.metadata.uid]);
  });
});
