import { Cluster, type EventRecord } from "@bowline/api";
import type { Client, EventQuery } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { fakeContext, type FakeContextOptions } from "../testing/fake-context.ts";
import { FakeTerminal } from "../testing/fake-terminal.ts";
import { startObjectServer, type ObjectServer } from "../testing/object-server.ts";
import { printEvents, type EventsOptions } from "./events.ts";

let server: ObjectServer;
beforeAll(async () => {
  server = await startObjectServer();
});
afterAll(() => server[Symbol.asyncDispose]());

/** Nothing can make such a cluster, which its controller tells as an event. */
async function createHopeless(name: string): Promise<void> {
  await server.client.create(Cluster, { metadata: { name }, spec: { provider: "kind" } });
}

test("events are followed as they happen, and shown later, here and in describe", async () => {
  const terminal = new FakeTerminal();
  const interrupt = new AbortController();
  await createHopeless("first");
  const ran = server.bowline(["events", "clusters", "--type", "Warning", "--watch"], {
    terminal,
    signal: interrupt.signal,
  });
  await terminal.wrote("cluster/first");
  await createHopeless("second");
  await terminal.wrote("cluster/second");
  interrupt.abort();
  expect((await ran).code).toBe(130);

  const { out } = await server.bowline(["events", "cluster", "second", "-o", "json"]);
  expect(JSON.parse(out)).toMatchObject({
    items: [{ type: "Warning", reason: "ProviderUnavailable", count: 1, regarding: { name: "second" } }],
  });
  const described = await server.bowline(["describe", "cluster", "second"]);
  expect(described.out).toMatch(
    /Events:\n {2}LAST-SEEN.*\n {2}\d+s +1 +Warning +ProviderUnavailable +Provider "kind"/,
  );
});

test("there are none where nothing happened", async () => {
  expect(await server.bowline(["events", "users"])).toMatchObject({
    code: 0,
    out: "",
    error: "No events found.\n",
  });
});

const startMs = Date.UTC(2026, 0, 1);

function event(minute: number, change: Partial<EventRecord> = {}): EventRecord {
  return {
    id: `01930a5e-7c00-7000-8000-0000000000${String(minute).padStart(2, "0")}`,
    type: "Normal",
    reason: "Applied",
    message: `minute ${minute}`,
    regarding: { kind: "WorkloadInstance", name: "web" },
    source: "test",
    count: 1,
    firstSeenAt: new Date(startMs).toISOString(),
    lastSeenAt: new Date(startMs + minute * 60_000).toISOString(),
    ...change,
  };
}

/** Newest first, a page at a time, as the server has them. */
function serverWith(records: readonly EventRecord[], queries: EventQuery[] = []): Partial<Client> {
  return {
    listEvents: async (query = {}) => {
      queries.push(query);
      const start = Number(query.cursor ?? 0);
      const end = start + Math.min(query.limit ?? 2, 2);
      const items = records.slice(start, end);
      const metadata = { total: records.length, resourceVersion: "7" };
      return { items, metadata: end < records.length ? { ...metadata, cursor: String(end) } : metadata };
    },
  };
}

function contextWith(client: Partial<Client>, signal?: AbortSignal): ReturnType<typeof fakeContext> {
  const options: FakeContextOptions = { client, clock: new ManualClock(startMs + 600_000) };
  return fakeContext(signal === undefined ? options : { ...options, signal });
}

const options: EventsOptions = { limit: 100, watch: false, output: "table", headers: true };

describe("events", () => {
  test("are shown with ages and counts, the newest last, from all pages", async () => {
    const context = contextWith(serverWith([event(3), event(2, { type: "Warning", count: 12 }), event(1)]));
    await printEvents(context, [], options);
    expect(context.terminal.written).toBe(
      [
        "LAST-SEEN   COUNT   TYPE      REASON    OBJECT                 MESSAGE",
        "9m          1       Normal    Applied   workloadinstance/web   minute 1",
        "8m          12      Warning   Applied   workloadinstance/web   minute 2",
        "7m          1       Normal    Applied   workloadinstance/web   minute 3",
        "",
      ].join("\n"),
    );
  });

  test("are asked for by object, type, reason and cluster, and no more than wanted", async () => {
    const queries: EventQuery[] = [];
    const context = contextWith(serverWith([event(3), event(2), event(1)], queries));
    await printEvents(context, ["wi/web"], {
      ...options,
      type: "Warning",
      reason: "Applied",
      cluster: "a",
      limit: 1,
    });
    expect(queries).toEqual([
      {
        kind: "WorkloadInstance",
        name: "web",
        type: "Warning",
        reason: "Applied",
        cluster: "a",
        limit: 1,
        cursor: undefined,
      },
    ]);
    expect(context.terminal.written).toContain("minute 3");
  });

  test("are followed from where the list ended, however often they repeat", async () => {
    const interrupt = new AbortController();
    const since: unknown[] = [];
    const client: Partial<Client> = {
      ...serverWith([event(1)]),
      async *watchEvents(_query, watch) {
        since.push(watch?.since);
        yield { type: "MODIFIED", object: event(2, { count: 2 }) };
        yield { type: "BOOKMARK", metadata: { resourceVersion: "8" } };
        yield { type: "DELETED", object: event(3, { message: "swept away" }) };
        interrupt.abort();
      },
    };
    const context = contextWith(client, interrupt.signal);
    await printEvents(context, [], { ...options, watch: true, output: "json" });
    expect(
      context.terminal.written
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line)),
    ).toEqual([event(1), event(2, { count: 2 })]);
    expect(since).toEqual(["7"]);
  });

  test("are listed again when the server has forgotten what happened meanwhile, without repeating any", async () => {
    const interrupt = new AbortController();
    const records = [event(1)];
    const client: Partial<Client> = {
      ...serverWith(records),
      async *watchEvents() {
        if (records.length > 1) return interrupt.abort();
        yield { type: "ADDED", object: event(2) };
        records.unshift(event(3), event(2));
        throw new BowlineError("Expired", "Too old.");
      },
    };
    const context = contextWith(client, interrupt.signal);
    await printEvents(context, [], { ...options, watch: true });
    expect(context.terminal.written.match(/minute \d/gu)).toEqual(["minute 1", "minute 2", "minute 3"]);
  });

  test("are none", async () => {
    const context = contextWith(serverWith([]));
    await printEvents(context, ["clusters"], options);
    expect(context.terminal.written).toBe("");
    expect(context.terminal.errors).toBe("No events found.\n");
  });

  test("are of one object or kind", async () => {
    await expect(printEvents(contextWith({}), ["cl,wi"], options)).rejects.toMatchObject({
      code: "InvalidArgument",
    });
  });
});
