import { duplexPair, Duplex } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { duplexChannel } from "./byte-channel.ts";

interface Recorded {
  readonly chunks: string[];
  readonly closed: Array<Error | undefined>;
}

function start(duplex: Duplex): Recorded & { channel: ReturnType<typeof duplexChannel> } {
  const recorded: Recorded = { chunks: [], closed: [] };
  const channel = duplexChannel(duplex);
  channel.start({
    data: (chunk) => recorded.chunks.push(String(chunk)),
    closed: (error) => recorded.closed.push(error),
  });
  return { ...recorded, channel };
}

describe("duplexChannel", () => {
  test("writes several chunks in one go and says when they are gone", async () => {
    const batches: string[][] = [];
    const duplex = new Duplex({
      read: () => {},
      writev: (items, callback) => {
        batches.push(items.map(({ chunk }) => String(chunk)));
        callback();
      },
    });
    const { channel } = start(duplex);
    const { promise, resolve } = Promise.withResolvers<void>();
    channel.write([Buffer.from("a"), Buffer.from("b"), Buffer.from("c")], resolve);
    await promise;
    expect(batches).toEqual([["a", "b", "c"]]);
  });

  test("waits for the network where the Duplex does not", async () => {
    const waiting: Array<() => void> = [];
    const [near] = duplexPair();
    const channel = duplexChannel(near, (callback) => waiting.push(callback));
    channel.start({ data: () => {}, closed: () => {} });
    let done = false;
    channel.write([Buffer.from("a")], () => (done = true));
    near.resume();
    await turn();
    expect([waiting.length, done]).toEqual([1, false]);
    waiting[0]?.();
    expect(done).toBe(true);
  });

  test("closes with the other side", async () => {
    const [near, far] = duplexPair();
    const mine = start(near);
    const other = start(far);
    other.channel.write([Buffer.from("last")], () => {});
    other.channel.end();
    await turn();
    expect(mine.chunks).toEqual(["last"]);
    expect([mine.closed, other.closed]).toEqual([[undefined], [undefined]]);
  });

  test("says what it broke with", async () => {
    const duplex = new Duplex({ read: () => {} });
    const { closed } = start(duplex);
    duplex.destroy(new Error("cut"));
    await turn();
    expect(closed).toMatchObject([{ message: "cut" }]);
  });

  test("notices that it had closed before it was started", async () => {
    const duplex = new Duplex({ read: () => {} });
    duplex.on("error", () => {});
    duplex.destroy(new Error("too late"));
    await turn();
    const { closed } = start(duplex);
    await turn();
    expect(closed).toMatchObject([{ message: "too late" }]);
  });
});
