import { setImmediate as nextTurn } from "node:timers/promises";
import { type DeepReadonly, watchBackoff, type BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "../client/resources.ts";
import type { KubeObject } from "../object.ts";
import { AsyncQueue, failureOf } from "../testing/async-queue.ts";
import { pod, ScriptedServer, type Exchange } from "../testing/scripted-server.ts";
import { createInformer, wholeObject, type Informer, type InformerOptions } from "./informer.ts";

type Pod = DeepReadonly<KubeObject>;

let server: ScriptedServer;
let informer: Informer<Pod>;
let errors: BowlineError[];
/** Calls of the first handler, as text: `+a@1`, `~a@1>2`, `-a@2`. */
let changes: AsyncQueue<string>;

beforeEach(async () => {
  server = await ScriptedServer.start();
  errors = [];
  changes = new AsyncQueue();
});
afterEach(async () => {
  await informer.stop();
  await server[Symbol.asyncDispose]();
});

function start(options: Partial<InformerOptions<Pod>> = {}): void {
  informer = createInformer({
    transport: server.transport,
    resource: resources.pods,
    project: wholeObject,
    watchList: "never",
    onError: (error) => errors.push(error),
    backoff: { baseMs: 1, maxMs: 1, factor: 1, jitter: 0, resetAfterMs: 1 },
    ...options,
  });
  informer.addHandler(recorder(changes));
  informer.start();
}

function recorder(queue: AsyncQueue<string>): Parameters<Informer<Pod>["addHandler"]>[0] {
  return {
    add: (value) => queue.push(`+${tell(value)}`),
    update: (old, value) => queue.push(`~${tell(old)}>${value.metadata.resourceVersion}`),
    delete: (value) => queue.push(`-${tell(value)}`),
  };
}

function tell({ metadata }: Pod): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
}

function names(): (string | undefined)[] {
  return informer.list().map((value) => value.metadata.name);
}

async function nextWatch(): Promise<Exchange> {
  const exchange = await server.next();
  expect(exchange.query.get("watch")).toBe("true");
  return exchange;
}

async function nextList(): Promise<Exchange> {
  const exchange = await server.next();
  expect(exchange.query.get("watch")).toBeNull();
  return exchange;
}

/** Lists these pods at version 10 and accepts the watch that follows. */
async function synced(...pods: KubeObject[]): Promise<Exchange> {
  (await nextList()).list(pods, "10");
  const watch = (await nextWatch()).open();
  await informer.synced();
  await changes.take(pods.length);
  return watch;
}

describe("an informer", () => {
  it("lists in pages, then watches from there", async () => {
    start({ namespace: "shop", labelSelector: "app=web", pageSize: 2 });
    const first = await nextList();
    expect(first.path).toBe("/api/v1/namespaces/shop/pods");
    expect(Object.fromEntries(first.query)).toEqual({ labelSelector: "app=web", limit: "2" });
    first.list([pod("a", "1"), pod("b", "2")], "10", "page2");
    const second = await nextList();
    expect(second.query.get("continue")).toBe("page2");
    expect(informer.state()).toMatchObject({ phase: "syncing", synced: false });
    second.list([pod("c", "3")], "10");
    const watch = await nextWatch();
    expect(watch.query.get("resourceVersion")).toBe("10");
    watch.open().event("ADDED", pod("d", "11")).event("MODIFIED", pod("a", "12"));
    watch.event("DELETED", pod("b", "13"));
    expect(await changes.take(6)).toEqual(["+a@1", "+b@2", "+c@3", "+d@11", "~a@1>12", "-b@13"]);
    expect(names()).toEqual(["a", "c", "d"]);
    expect(informer.get("shop", "a")).toEqual(pod("a", "12"));
    expect(informer.get("shop", "b")).toBeUndefined();
    expect(informer.state()).toMatchObject({
      phase: "watching",
      synced: true,
      resourceVersion: "13",
      objects: 3,
      reconnects: 0,
      relists: 0,
      error: undefined,
    });
  });

  it("resumes from the last event, and from a bookmark when that is newer", async () => {
    start();
    const watch = await synced(pod("a", "1"));
    watch.event("MODIFIED", pod("a", "11")).end();
    const second = await nextWatch();
    expect(second.query.get("resourceVersion")).toBe("11");
    second.open().bookmark("40").end();
    const third = await nextWatch();
    expect(third.query.get("resourceVersion")).toBe("40");
    expect(informer.state()).toMatchObject({ reconnects: 2, relists: 0 });
  });

  it("resumes after a cut in the middle of a line without losing or repeating an event", async () => {
    start();
    const watch = await synced();
    watch.event("ADDED", pod("a", "11")).write('{"type":"ADDED","object":{"metadata":{"name":"b"');
    expect(await changes.next()).toBe("+a@11");
    watch.cut();
    const second = await nextWatch();
    expect(second.query.get("resourceVersion")).toBe("11");
    second.open().event("ADDED", pod("b", "12"));
    expect(await changes.next()).toBe("+b@12");
  });

  it("ignores versions it has, so that a replay tells nobody anything", async () => {
    start();
    const watch = await synced(pod("a", "1"));
    watch
      .event("ADDED", pod("a", "1"))
      .event("DELETED", pod("never-seen", "11"))
      .event("ADDED", pod("b", "12"));
    expect(await changes.next()).toBe("+b@12");
  });

  it.each(["status", "event"])("relists after a 410 as %s, with deletes for what vanished", async (way) => {
    start();
    const watch = await synced(pod("same", "1"), pod("changed", "2"), pod("gone", "3"), pod("reborn", "4"));
    const expired = { kind: "Status", status: "Failure", code: 410, reason: "Expired" };
    watch.bookmark("11");
    if (way === "event") {
      watch.event("ERROR", expired);
    } else {
      watch.end();
      (await nextWatch()).json(expired, 410);
    }
    const relist = await nextList();
    expect(relist.query.get("resourceVersion")).toBeNull();
    relist.list(
      [pod("same", "1"), pod("changed", "20"), pod("reborn", "21", { uid: "another" }), pod("new", "22")],
      "30",
    );
    expect((await nextWatch()).query.get("resourceVersion")).toBe("30");
    expect(await changes.take(5)).toEqual(["~changed@2>20", "-reborn@4", "+reborn@21", "+new@22", "-gone@3"]);
    expect(changes.pending).toEqual([]);
    expect(names()).toEqual(["same", "changed", "reborn", "new"]);
    expect(informer.state()).toMatchObject({ relists: 1 });
  });

  it("deletes nothing when a relist breaks off", async () => {
    start({ pageSize: 1 });
    const watch = await synced(pod("a", "1"), pod("b", "2"));
    watch.bookmark("11").event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    (await nextList()).list([pod("a", "1")], "30", "more");
    (await nextList()).cut();
    const again = await nextList();
    expect(names()).toEqual(["a", "b"]);
    again.list([pod("b", "2")], "31");
    await nextWatch();
    expect(await changes.next()).toBe("-a@1");
  });

  it("lists without pages when the pages expire on the way", async () => {
    start({ pageSize: 1 });
    (await nextList()).list([pod("a", "1")], "10", "more");
    (await nextList()).status(410, "Expired");
    const whole = await nextList();
    expect(whole.query.get("limit")).toBeNull();
    whole.list([pod("b", "11")], "12");
    await informer.synced();
    expect(await changes.take(3)).toEqual(["+a@1", "+b@11", "-a@1"]);
  });

  it("waits as long as the server asks", async () => {
    const clock = new ManualClock();
    start({ clock });
    const list = await nextList();
    list.status(429, "TooManyRequests", { "retry-after": "7" });
    await list.closed;
    await until(() => informer.state().phase === "waiting");
    expect(informer.state().error).toMatchObject({ code: "TooManyRequests" });
    await clock.advance(6_999);
    expect(server.unanswered).toBe(0);
    await clock.advance(1);
    (await nextList()).list([], "10");
    await informer.synced();
    expect(informer.state().error).toBeUndefined();
  });

  it.each([
    [401, "Unauthorized"],
    [403, "Forbidden"],
    [404, "NotFound"],
    [500, "InternalError"],
  ])("says why it is not synced after a %d, and tries again", async (code, reason) => {
    start();
    (await nextList()).status(code, reason);
    const again = await nextList();
    expect(informer.state()).toMatchObject({ phase: "syncing", synced: false, failures: 1 });
    expect(informer.state().error?.details).toMatchObject({ httpStatus: code });
    again.list([pod("a", "1")], "10");
    await informer.synced();
    expect(informer.state()).toMatchObject({ synced: true, error: undefined });
  });

  it("waits longer with every failure, and does not ask again at once when watches end at once", async () => {
    const clock = new ManualClock();
    start({ clock, random: () => 0, backoff: watchBackoff });
    (await nextList()).list([], "10");
    (await nextWatch()).open().end();
    for (const delayMs of [800, 1600, 3200]) {
      await until(() => informer.state().phase === "waiting");
      await clock.advance(delayMs - 1);
      expect(server.unanswered).toBe(0);
      await clock.advance(1);
      (await nextWatch()).status(503, "ServiceUnavailable");
    }
  });

  it("notices a frozen socket within 60 s and resumes", async () => {
    const clock = new ManualClock();
    start({ clock });
    const watch = await synced(pod("a", "1"));
    watch.event("MODIFIED", pod("a", "11"));
    await changes.next();
    await clock.advance(60_000);
    const resumed = await nextWatch();
    await watch.closed;
    expect(resumed.query.get("resourceVersion")).toBe("11");
    resumed.open().event("MODIFIED", pod("a", "12"));
    expect(await changes.next()).toBe("~a@11>12");
  });

  it("notices a list that freezes, and starts it again", async () => {
    const clock = new ManualClock();
    start({ clock });
    const frozen = await nextList();
    frozen.open().write('{"metadata":{"resourceVersion":"10"},"items":[');
    await clock.advance(45_000);
    await frozen.closed;
    await clock.advance(1_000);
    (await nextList()).list([], "10");
    await informer.synced();
    expect(informer.state()).toMatchObject({ failures: 1 });
  });

  it("leaves nothing open when it stops", async () => {
    const clock = new ManualClock();
    start({ clock });
    const watch = await synced(pod("a", "1"));
    await informer.stop();
    await watch.closed;
    expect(clock.pending).toBe(0);
    expect(informer.state()).toMatchObject({ phase: "stopped", synced: true });
    expect(names()).toEqual(["a"]);
  });

  it("rejects those who wait for a sync that will not come", async () => {
    start();
    await nextList();
    const abort = new AbortController();
    const aborted = failureOf(informer.synced(abort.signal));
    const stopped = failureOf(informer.synced());
    abort.abort();
    expect(await aborted).toMatchObject({ code: "Cancelled" });
    await informer.stop();
    expect(await stopped).toMatchObject({ code: "Cancelled" });
  });
});

describe("handlers", () => {
  it("that come late first see what is there, and then the same as the others", async () => {
    start();
    const watch = await synced(pod("a", "1"));
    const late = new AsyncQueue<string>();
    const registration = informer.addHandler(recorder(late));
    expect(registration.synced).toBe(true);
    watch.event("MODIFIED", pod("a", "11"));
    expect(await late.take(2)).toEqual(["+a@1", "~a@1>11"]);
    registration.remove();
    watch.event("MODIFIED", pod("a", "12"));
    await changes.take(2);
    expect(late.pending).toEqual([]);
  });

  it("know when they have seen everything", async () => {
    start();
    const told: boolean[] = [];
    const registration = informer.addHandler({ synced: () => told.push(registration.synced) });
    expect(registration.synced).toBe(false);
    await synced(pod("a", "1"));
    expect(told).toEqual([true]);
  });

  it("that fail, at once or later, are reported and disturb nobody", async () => {
    start();
    const rejecting: () => unknown = async () => {
      await nextTurn();
      throw new Error("rejected");
    };
    informer.addHandler({
      add: () => {
        throw new Error("thrown");
      },
      update: rejecting,
    });
    const last = new AsyncQueue<string>();
    informer.addHandler(recorder(last));
    const watch = await synced(pod("a", "1"));
    watch.event("MODIFIED", pod("a", "11"));
    expect(await last.take(2)).toEqual(["+a@1", "~a@1>11"]);
    await until(() => errors.length === 2);
    expect(errors.map((error) => error.message)).toEqual([
      expect.stringContaining("thrown"),
      expect.stringContaining("rejected"),
    ]);
    expect(informer.state()).toMatchObject({ phase: "watching", failures: 0 });
  });

  it("that join while others are told see each object once", async () => {
    start();
    const joined = new AsyncQueue<string>();
    const registration = informer.addHandler({
      add: () => {
        registration.remove();
        informer.addHandler(recorder(joined));
      },
    });
    await synced(pod("a", "1"), pod("b", "2"));
    expect(joined.pending).toEqual(["+a@1", "+b@2"]);
  });

  it("get objects that nobody can change", async () => {
    start();
    await synced(pod("a", "1", { labels: { app: "web" } }));
    const { labels } = informer.get("shop", "a")?.metadata ?? {};
    expect(() => Object.assign(labels ?? {}, { app: "other" })).toThrow(TypeError);
  });
});

describe("the cache", () => {
  it("keeps what the projection returns, and finds it by index", async () => {
    const told: BowlineError[] = [];
    await using other = createDisposable(
      createInformer({
        transport: server.transport,
        resource: resources.pods,
        watchList: "never",
        fields: { status: { phase: true } },
        project: ({ metadata, ...rest }) => ({
          name: metadata.name,
          phase: phaseOf(rest),
          all: Object.keys(metadata),
        }),
        indexers: { phase: ({ phase }) => [phase], broken: () => JSON.parse("{") as string[] },
        onError: (error) => told.push(error),
      }),
    );
    informer = createInformer({
      transport: server.transport,
      resource: resources.pods,
      project: wholeObject,
      onError: () => undefined,
    });
    other.informer.start();
    const running = pod("a", "1", { labels: { app: "web" } });
    (await nextList()).list([running, pod("b", "2", { phase: "Pending" })], "10");
    const watch = (await nextWatch()).open();
    await other.informer.synced();
    expect(other.informer.get("shop", "a")).toEqual({
      name: "a",
      phase: "Running",
      all: ["name", "namespace", "uid", "resourceVersion"],
    });
    expect(other.informer.byIndex("phase", "Pending").map(({ name }) => name)).toEqual(["b"]);
    watch.event("MODIFIED", pod("b", "11")).event("DELETED", pod("a", "12"));
    await until(() => other.informer.list().length === 1);
    expect(other.informer.byIndex("phase", "Running").map(({ name }) => name)).toEqual(["b"]);
    expect(other.informer.byIndex("phase", "Pending")).toEqual([]);
    expect(other.informer.byIndex("broken", "x")).toEqual([]);
    expect(told[0]?.message).toContain('indexer "broken"');
    expect(() => other.informer.byIndex("nope", "x")).toThrow(/no index "nope"/);
  });

  it("lists by namespace", async () => {
    start();
    await synced(pod("a", "1"), pod("a", "2", { namespace: "other", uid: "u2" }));
    expect(informer.list("other").map(tell)).toEqual(["a@2"]);
    expect(informer.list("none")).toEqual([]);
    expect(informer.list()).toHaveLength(2);
  });

  it("leaves out an object that cannot be projected, and says so", async () => {
    start({
      project: (object) => {
        if (object.metadata.name === "bad") throw new Error("no such field");
        return object;
      },
    });
    (await nextList()).list([pod("bad", "1"), pod("good", "2")], "10");
    await informer.synced();
    expect(names()).toEqual(["good"]);
    expect(errors[0]?.message).toContain("no such field");
  });

  it("of metadata only asks for no more, and never keeps more", async () => {
    start({ metadataOnly: true });
    const list = await nextList();
    expect(list.headers.accept).toContain("as=PartialObjectMetadataList;");
    list.list([pod("a", "1")], "10");
    const watch = await nextWatch();
    expect(watch.headers.accept).toContain("as=PartialObjectMetadata;");
    expect(informer.get("shop", "a")).not.toHaveProperty("status");
  });

  it("of metadata only falls back to whole objects, but never for Secrets", async () => {
    start({ metadataOnly: true });
    (await nextList()).status(406, "NotAcceptable");
    const whole = await nextList();
    expect(whole.headers.accept).toBe("application/json");
    whole.list([pod("a", "1")], "10");
    await informer.synced();
    expect(informer.get("shop", "a")).not.toHaveProperty("status");
    await nextWatch();
    await informer.stop();

    start({ metadataOnly: true, resource: resources.secrets });
    (await nextList()).status(406, "NotAcceptable");
    const again = await nextList();
    expect(again.headers.accept).toContain("as=PartialObjectMetadataList;");
    expect(informer.state().error?.details).toMatchObject({ httpStatus: 406 });
  });
});

/** Waits for a state that no event announces. */
async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await nextTurn();
}

function phaseOf(object: Record<string, unknown>): string {
  const { status } = object as { status?: { phase?: string } };
  return status?.phase ?? "Unknown";
}

function createDisposable<T>(owned: Informer<T>): AsyncDisposable & { readonly informer: Informer<T> } {
  return { informer: owned, [Symbol.asyncDispose]: () => owned.stop() };
}
