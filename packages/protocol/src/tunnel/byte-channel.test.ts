import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Duplex, duplexPair, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { duplexChannel, gatheredWrites } from "./byte-channel.ts";

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

test("gatheredWrites writes once per turn, and tells when to wait", async () => {
  const batches: number[] = [];
  const target = new Writable({
    highWaterMark: 10,
    writev: (chunks, callback) => {
      batches.push(chunks.length);
      callback();
    },
  });
  const write = gatheredWrites(target);
  expect(write(Buffer.from("abc"))).toBe(true);
  expect(write(Buffer.from("defghijk"))).toBe(false);
  expect(batches).toEqual([]);
  await once(target, "drain");
  expect(batches).toEqual([2]);
  write(Buffer.from("l"));
  write(Buffer.from("m"));
  await turn();
  expect(batches).toEqual([2, 2]);
});

test("gatheredWrites is at home with answers of node:http, one after the other on one connection", async () => {
  const answer = async (response: ServerResponse): Promise<void> => {
    const write = gatheredWrites(response);
    write(Buffer.from("one "));
    write(Buffer.from("two "));
    await turn();
    write(Buffer.from("three"));
    response.end();
  };
  const server = createServer((_, response) => void answer(response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  for (let index = 0; index < 3; index++) {
    const [incoming] = await once(request({ port, host: "127.0.0.1" }).end(), "response");
    expect(await text(incoming)).toBe("one two three");
  }
  server.close();
});
