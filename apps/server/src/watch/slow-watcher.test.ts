import { Cluster } from "@bowline/api";
import { expect, test } from "vitest";

import type { Store } from "@bowline/store";
import { cluster, openTestStore } from "@bowline/store/testing";
import { EventSource } from "./testing/event-source.ts";
import { startWatchServer } from "./testing/watch-server.ts";

const large = "x".repeat(30_000);
/** Together far more than the two sockets between server and client hold. */
const writes = 600;

async function writeMuch({ objects }: Store): Promise<void> {
  const names = Array.from({ length: writes }, (_, index) => `c${index}`);
  for (const name of names) await objects.create(Cluster, cluster(name, { annotations: { large } }));
}

async function slowCount(metrics: { text(): Promise<string> }): Promise<number> {
  const match = /^bowline_watch_slow_total\{kind="Cluster"\} (\d+)$/mu.exec(await metrics.text());
  return Number(match?.[1] ?? 0);
}

test("a reader that stalls holds little memory and nobody up, and then misses nothing", async () => {
  const maxBufferedBytes = 100_000;
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { url, metrics, lastResponse } = await startWatchServer(store, { maxBufferedBytes });
  const quick = await EventSource.open(url);
  await quick.until("BOOKMARK");
  const stalled = await EventSource.open(url);
  const response = lastResponse();
  const ids = quick.changes(writes).then((events) => events.map(({ id }) => Number(id)));
  await writeMuch(store);
  const expected = Array.from({ length: writes }, (_, index) => index + 1);
  expect(await ids).toEqual(expected);

  await expect.poll(() => slowCount(metrics)).toBeGreaterThan(0);
  expect(response?.writableLength).toBeGreaterThan(0);
  expect(response?.writableLength).toBeLessThan(maxBufferedBytes + 2 * large.length);
  expect((await stalled.changes(writes)).map(({ id }) => Number(id))).toEqual(expected);
  await store.objects.delete(Cluster, "c0");
  for (const source of [quick, stalled]) {
    const [next] = await source.changes(1);
    expect(next).toMatchObject({ id: String(writes + 1), data: { type: "DELETED" } });
  }
});

test("a reader that takes nothing for too long is cut off", async () => {
  const store = await openTestStore({ type: "sqlite", file: ":memory:" });
  const { url, pool } = await startWatchServer(store, { stallMs: 50 });
  await writeMuch(store);
  const stalled = await EventSource.open(url);
  expect(pool.size).toBe(1);
  await expect.poll(() => pool.size).toBe(0);
  const events = await stalled.take(writes);
  expect(events.length).toBeLessThan(writes);
});
