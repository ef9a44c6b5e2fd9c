import type { BowlineError, DeepReadonly } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { resources } from "../client/resources.ts";
import type { KubeObject } from "../object.ts";
import { AsyncQueue } from "../testing/async-queue.ts";
import { pod, ScriptedServer, type Exchange } from "../testing/scripted-server.ts";
import { createInformer, wholeObject, type Informer, type InformerOptions } from "./informer.ts";

type Pod = DeepReadonly<KubeObject>;

let server: ScriptedServer;
let informer: Informer<Pod>;
let errors: BowlineError[];
/** Additions and deletions, as text: `+a@1`, `-a@2`. */
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
    onError: (error) => errors.push(error),
    backoff: { baseMs: 1, maxMs: 1, factor: 1, jitter: 0, resetAfterMs: 1 },
    ...options,
  });
  informer.addHandler({
    add: (value) => changes.push(`+${tell(value)}`),
    update: () => {},
    delete: (value) => changes.push(`-${tell(value)}`),
  });
  informer.start();
}

function tell({ metadata }: Pod): string {
  return `${metadata.name}@${metadata.resourceVersion}`;
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

it("waits when what it reads after an expired watch expires, too", async () => {
  start({ clock: new ManualClock() });
  (await server.next()).open().bookmark("10", true);
  (await server.next())
    .open()
    .bookmark("11")
    .event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
  (await server.next()).status(410, "Expired");
  await expect.poll(() => informer.state()).toMatchObject({ phase: "waiting", failures: 2 });
});

describe("a WatchList", () => {
  it("reads everything by a watch and deletes what it did not bring", async () => {
    start({ watchList: "auto" });
    const initial = await nextWatch();
    expect(initial.query.get("sendInitialEvents")).toBe("true");
    expect(initial.query.get("resourceVersion")).toBeNull();
    initial.open().event("ADDED", pod("b", "9")).event("ADDED", pod("a", "2"));
    expect(await changes.take(2)).toEqual(["+b@9", "+a@2"]);
    expect(informer.state()).toMatchObject({ synced: false, resourceVersion: undefined });
    initial.bookmark("10", true);
    const watch = await nextWatch();
    await initial.closed;
    expect(watch.query.get("resourceVersion")).toBe("10");
    expect(watch.query.get("sendInitialEvents")).toBeNull();
    watch.open().bookmark("11").event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    (await nextWatch()).open().event("ADDED", pod("a", "2")).bookmark("20", true);
    expect(await changes.next()).toBe("-b@9");
  });

  it("starts again when it is cut before its end", async () => {
    start({ watchList: "auto" });
    const initial = await nextWatch();
    initial.open().event("ADDED", pod("a", "5"));
    await changes.next();
    initial.cut();
    const again = await nextWatch();
    expect(again.query.get("sendInitialEvents")).toBe("true");
    expect(informer.state().synced).toBe(false);
  });

  it.each<[string, (watch: Exchange) => unknown]>([
    ["is cut", (watch) => watch.event("ADDED", pod("a", "5")).cut()],
    ["fails", (watch) => watch.event("ERROR", { kind: "Status", code: 500, reason: "InternalError" })],
  ])("gives way to lists, for good, when it %s three times, and says so", async (_, end) => {
    start({ watchList: "auto" });
    for (let attempt = 1; attempt <= 3; attempt++) end((await nextWatch()).open());
    (await nextList()).list([pod("a", "5")], "10");
    await informer.synced();
    expect(errors.map(({ code }) => code)).toEqual(["ResponseInvalid"]);
    expect(errors[0]?.message).toMatch(
      /^The API server ended 3 WatchLists of pods in all namespaces before .*now on they are listed/,
    );
    const watch = await nextWatch();
    expect(watch.query.get("sendInitialEvents")).toBeNull();
    watch.open().bookmark("11").event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    (await nextList()).list([], "12");
    expect(await changes.take(2)).toEqual(["+a@5", "-a@5"]);
    expect(errors).toHaveLength(1);
  });

  it("is asked for again when two were cut and the third came to its end", async () => {
    start({ watchList: "auto" });
    for (let round = 1; round <= 2; round++) {
      for (let attempt = 1; attempt <= 2; attempt++) (await nextWatch()).open().cut();
      (await nextWatch()).open().bookmark(`${round}0`, true);
      const watch = await nextWatch();
      watch.open().bookmark(`${round}1`).event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    }
    expect((await nextWatch()).query.get("sendInitialEvents")).toBe("true");
    expect(errors).toEqual([]);
  });

  it("is asked for as long as it takes by servers that do not even open it", async () => {
    start({ watchList: "auto" });
    for (let attempt = 1; attempt <= 5; attempt++) (await nextWatch()).status(500, "InternalError");
    expect((await nextWatch()).query.get("sendInitialEvents")).toBe("true");
  });

  it.each([
    [400, "BadRequest"],
    [422, "Invalid"],
  ])("gives way to lists, for good, when the server answers %d", async (code, reason) => {
    start({ watchList: "auto" });
    (await nextWatch()).status(code, reason);
    (await nextList()).list([pod("a", "1")], "10");
    const watch = await nextWatch();
    watch.open().bookmark("11").event("ERROR", { kind: "Status", code: 410, reason: "Expired" });
    (await nextList()).list([], "12");
    expect(await changes.take(2)).toEqual(["+a@1", "-a@1"]);
    expect(informer.state()).toMatchObject({ failures: 1 });
  });

  it("gives way to lists when the server ignores what it was asked", async () => {
    const clock = new ManualClock();
    start({ watchList: "auto", clock });
    const ignored = await nextWatch();
    ignored.open().event("ADDED", pod("stale", "1"));
    await changes.next();
    await clock.advance(45_000);
    await ignored.closed;
    (await nextList()).list([pod("a", "5")], "10");
    await informer.synced();
    expect(informer.list().map(tell)).toEqual(["a@5"]);
    expect(informer.state()).toMatchObject({ failures: 0 });
  });

  it("is insisted on when the caller says so", async () => {
    start({ watchList: "always" });
    (await nextWatch()).status(422, "Invalid");
    expect((await nextWatch()).query.get("sendInitialEvents")).toBe("true");
    expect(informer.state().error).toMatchObject({ code: "Invalid" });
  });
});
