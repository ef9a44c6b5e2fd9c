import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { BowlineError, Metrics, systemClock } from "@bowline/core";
import type { FollowQuery, LogFollower, LogItem, LogPage } from "@bowline/store";
import { expect, onTestFinished, test, vi } from "vitest";

import { EventSource } from "./testing/event-source.ts";
import { LiveFeed } from "./live-feed.ts";
import { serverSentEvent } from "./server-sent-event.ts";
import { defaultWatchLimits, WatcherPool } from "./watcher-pool.ts";
import { WatchMetrics } from "./watch-metrics.ts";
import type { WatchView, Opening } from "./watcher.ts";

/** A log in memory. */
class TestLog {
  readonly items: LogItem[] = [];
  followers = 0;
  failure: BowlineError | undefined;
  #wake = (): void => {};

  append(): void {
    this.items.push({ revision: this.items.length + 1, kind: "Test", size: 0 });
    this.#wake();
  }

  fail(error: BowlineError): void {
    this.failure = error;
    this.#wake();
  }

  head(): Promise<number> {
    return Promise.resolve(this.items.length);
  }

  follow({ after, signal }: FollowQuery): LogFollower<LogItem> {
    const follower = { position: after, [Symbol.asyncIterator]: () => this.#follow(follower, signal) };
    return follower;
  }

  async *#follow(follower: { position: number }, signal: AbortSignal): AsyncGenerator<readonly LogItem[]> {
    this.followers += 1;
    signal.addEventListener("abort", () => this.#wake());
    try {
      while (!signal.aborted) {
        if (this.failure !== undefined) throw this.failure;
        const items = this.items.slice(follower.position);
        follower.position = this.items.length;
        if (items.length > 0) yield items;
        else await new Promise<void>((resolve) => (this.#wake = resolve));
      }
    } finally {
      this.followers -= 1;
    }
  }
}

/** Counts what it is asked. */
class CountingView implements WatchView<LogItem> {
  readonly key: string;
  readonly #log: TestLog;
  readonly #asked: number[];

  constructor(key: string, log: TestLog, asked: number[]) {
    this.key = key;
    this.#log = log;
    this.#asked = asked;
  }

  eventOf({ revision }: LogItem): Buffer {
    this.#asked.push(revision);
    return Buffer.from(serverSentEvent(`{"type":"ADDED","object":${revision}}`, revision));
  }

  read(after: number): Promise<LogPage<LogItem>> {
    return Promise.resolve({ items: this.#log.items.slice(after), position: this.#log.items.length });
  }
}

// oxlint-disable-next-line require-yield -- nothing comes before what is live
async function* fromNow(log: TestLog): Opening {
  return log.head();
}

async function start(log: TestLog, asked: number[] = []) {
  const metrics = new Metrics({ version: "1", revision: "1" });
  const pool = new WatcherPool({
    clock: systemClock,
    limits: defaultWatchLimits,
    metrics: new WatchMetrics(metrics),
  });
  const feed = new LiveFeed<LogItem>({ log, clock: systemClock, bookmarkMs: 10_000, batchMs: 1 });
  const serve = (key: string, response: ServerResponse): Promise<void> =>
    pool.serve(
      {
        kind: "Test",
        feed,
        view: new CountingView(key, log, asked),
        opening: fromNow(log),
        signal: new AbortController().signal,
        requestId: "r",
      },
      response,
    );
  const server = createServer((request, response) => void serve(request.url ?? "", response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await pool.close();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  const watch = async (key = "all"): Promise<EventSource<number>> => {
    const source = await EventSource.open<number>(`http://127.0.0.1:${port}/${key}`);
    await source.until("BOOKMARK");
    return source;
  };
  return { watch, pool, metrics };
}

test("one follower serves all, and what is the same for many is worked out once", async () => {
  const log = new TestLog();
  const asked: number[] = [];
  const { watch, metrics } = await start(log, asked);
  const same = await Promise.all(Array.from({ length: 20 }, () => watch()));
  const other = await watch("other");
  for (let count = 0; count < 3; count += 1) log.append();
  for (const source of [...same, other]) {
    expect((await source.take(3)).map(({ id }) => id)).toEqual(["1", "2", "3"]);
  }
  expect(asked.toSorted((a, b) => a - b)).toEqual([1, 1, 2, 2, 3, 3]);
  expect(log.followers).toBe(1);
  expect(await metrics.text()).toContain('bowline_watch_events_total{kind="Test"} 63');
});

test("the log is followed only while somebody watches", async () => {
  const log = new TestLog();
  const { watch, pool } = await start(log);
  for (let round = 0; round < 2; round += 1) {
    const source = await watch();
    await expect.poll(() => log.followers).toBe(1);
    source.cut();
    await expect.poll(() => log.followers).toBe(0);
    expect(pool.size).toBe(0);
  }
});

test("when the log cannot be followed, everybody is told, and the next one begins anew", async () => {
  const log = new TestLog();
  const { watch } = await start(log);
  const source = await watch();
  log.append();
  expect((await source.take(1)).map(({ id }) => id)).toEqual(["1"]);
  log.fail(new BowlineError("DatabaseUnavailable", "The database does not answer."));
  expect(await source.take(2)).toMatchObject([
    { id: "1", data: { type: "ERROR", error: { code: "DatabaseUnavailable" } } },
  ]);
  log.failure = undefined;
  const again = await watch();
  log.append();
  expect((await again.take(1)).map(({ id }) => id)).toEqual(["2"]);
});

test("a run that ended while it asked for the end of the log does not decide where the next one begins", async () => {
  const log = new TestLog();
  const slow = Promise.withResolvers<number>();
  vi.spyOn(log, "head").mockReturnValueOnce(slow.promise);
  const feed = new LiveFeed<LogItem>({ log, clock: systemClock, bookmarkMs: 10_000, batchMs: 1 });
  const stop = feed.retain();
  const ended = feed.ready();
  stop();
  log.append();
  log.append();
  onTestFinished(feed.retain());
  await feed.ready();
  expect(feed.position).toBe(2);
  slow.resolve(0);
  await ended;
  expect(feed.position).toBe(2);
});
