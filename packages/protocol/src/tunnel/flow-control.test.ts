import { describe, expect, test } from "vitest";

import { TunnelFixture, type StreamPair } from "../testing/manual-link.ts";
import { initialWindowBytes } from "./frame.ts";
import { TunnelMemory } from "./tunnel-memory.ts";

const ok = { status: 200, headers: [] };
const kib = 1024;
const mib = 1024 * kib;

/** Sends as much as the stream takes without being asked to wait. */
function fill({ stream }: StreamPair, chunk = Buffer.alloc(64 * kib)): void {
  while (stream.write(chunk));
}

/** Sends `bytes`, waiting whenever it is asked to. */
function pump({ stream, handler }: StreamPair, bytes: number): void {
  let rest = bytes;
  const more = (): void => {
    while (rest > 0) {
      const chunk = Buffer.alloc(Math.min(rest, 64 * kib));
      rest -= chunk.length;
      if (!stream.write(chunk)) return;
    }
    stream.end();
  };
  handler.drain = more;
  more();
}

describe("a reader that stalls", () => {
  test("holds no more than its window, and its sender no more than its buffer", () => {
    const fixture = new TunnelFixture();
    const stalled = fixture.open();
    stalled.answer.takesMore = false;
    stalled.stream.sendHeaders(ok);
    pump(stalled, 50 * mib);
    fixture.link.settle();
    expect(fixture.link.server.heldBytes + stalled.answer.body.length).toBe(initialWindowBytes);
    expect(fixture.link.agentChannel.pendingBytes).toBe(0);
  });

  test("does not hold back another stream", () => {
    const fixture = new TunnelFixture();
    const stalled = fixture.open();
    stalled.answer.takesMore = false;
    stalled.stream.sendHeaders(ok);
    pump(stalled, 50 * mib);
    const healthy = fixture.open();
    healthy.stream.sendHeaders(ok);
    pump(healthy, 20 * mib);
    fixture.link.settle();
    expect(healthy.answer.body.length).toBe(20 * mib);
    expect(healthy.answer.ends).toHaveLength(1);
  });

  test("gets the rest when it goes on, in order and to the end", () => {
    const fixture = new TunnelFixture();
    const pair = fixture.open();
    pair.answer.takesMore = false;
    pair.stream.sendHeaders(ok);
    pump(pair, 3 * mib);
    fixture.link.settle();
    pair.answer.takesMore = true;
    pair.request.resume();
    fixture.link.settle();
    expect(pair.answer.body.length).toBe(3 * mib);
    expect(pair.answer.ends).toHaveLength(1);
    expect(fixture.link.server.heldBytes).toBe(0);
  });

  test("is given one chunk each time it says it can take one", () => {
    const fixture = new TunnelFixture();
    const { stream, request, answer } = fixture.open();
    answer.takesMore = false;
    stream.sendHeaders(ok);
    for (let index = 0; index < 5; index++) {
      stream.write(Buffer.alloc(20 * kib, index));
      fixture.link.settle();
    }
    expect(answer.chunks).toHaveLength(1);
    request.resume();
    expect(answer.chunks).toHaveLength(2);
    request.resume();
    expect(answer.chunks).toHaveLength(3);
  });

  test("that holds the most has to go when all together hold too much", () => {
    const fixture = new TunnelFixture({ server: { limits: { maxBufferedBytes: 400 * kib } } });
    const [small, large] = [fixture.open(), fixture.open()];
    for (const { answer, stream } of [small, large]) {
      answer.takesMore = false;
      stream.sendHeaders(ok);
      stream.write(Buffer.from("first"));
    }
    fixture.link.settle();
    small.stream.write(Buffer.alloc(180 * kib));
    fixture.link.settle();
    fill(large);
    fixture.link.settle();
    fill(large);
    fixture.link.settle();
    expect(small.answer.errors).toEqual([]);
    expect(large.answer.errors).toMatchObject([{ code: "TooManyRequests" }]);
    expect(large.handler.errors).toMatchObject([{ details: { reset: "overloaded" } }]);
    expect(fixture.link.server.heldBytes).toBe(180 * kib);
  });

  test("that holds the most has to go where several tunnels share what they may hold", () => {
    const memory = new TunnelMemory(400 * kib);
    const fixtures = [1, 2].map(() => new TunnelFixture({ server: { memory } }));
    const pairs = fixtures.map((fixture) => fixture.open());
    pairs.forEach(({ answer, stream }, index) => {
      answer.takesMore = false;
      stream.sendHeaders(ok);
      stream.write(Buffer.from("first"));
      fixtures[index]?.link.settle();
      stream.write(Buffer.alloc((180 + 60 * index) * kib));
      fixtures[index]?.link.settle();
    });
    expect(pairs.map(({ answer }) => answer.errors.length)).toEqual([0, 1]);
    expect(fixtures.map(({ link }) => link.server.heldBytes)).toEqual([180 * kib, 0]);
    expect(memory.held.bytes).toBe(180 * kib);
  });
});

describe("windows", () => {
  /** Runs a download over a link with a delay; returns how many round trips it took. */
  async function roundTrips(bytes: number, maxWindowBytes: number): Promise<number> {
    // Bytes that this link holds are under way, and a real channel takes that much too.
    const agent = { limits: { inFlightBytes: 64 * mib } };
    const fixture = new TunnelFixture({ server: { limits: { maxWindowBytes } }, agent });
    const { link } = fixture;
    const halfTrip = async (): Promise<void> => {
      await link.clock.advance(25);
      const [up, down] = [link.serverChannel.pendingBytes, link.agentChannel.pendingBytes];
      link.serverChannel.deliverBytes(up);
      link.agentChannel.deliverBytes(down);
      link.runDeferred();
    };
    link.runDeferred();
    await halfTrip();
    await halfTrip();
    const pair = fixture.open();
    pair.stream.sendHeaders(ok);
    pump(pair, bytes);
    let halves = 0;
    for (; pair.answer.ends.length === 0; halves++) await halfTrip();
    expect(pair.answer.body.length).toBe(bytes);
    return halves / 2;
  }

  test("grow with the round trip, so that a long way is no slow way", async () => {
    // With the first window alone, 32 MiB would take 128 round trips.
    expect(await roundTrips(32 * mib, initialWindowBytes)).toBeGreaterThan(120);
    expect(await roundTrips(32 * mib, 16 * mib)).toBeLessThan(10);
  });

  test("do not grow for a reader that is slower than the network", async () => {
    const fixture = new TunnelFixture();
    fixture.link.settle();
    const pair = fixture.open();
    pair.answer.takesMore = false;
    pair.stream.sendHeaders(ok);
    pump(pair, 8 * mib);
    for (let second = 0; second < 40; second++) {
      await fixture.link.clock.advance(1000);
      pair.request.resume();
      fixture.link.settle();
    }
    pair.answer.chunks.length = 0;
    await fixture.link.clock.advance(1000);
    fixture.link.settle();
    expect(fixture.link.server.heldBytes).toBeLessThanOrEqual(initialWindowBytes);
  });

  test("give back what they borrowed when their stream is over", async () => {
    const maxBufferedBytes = 4 * mib;
    const fixture = new TunnelFixture({ server: { limits: { maxBufferedBytes } } });
    fixture.link.settle();
    for (let round = 0; round < 20; round++) {
      const pair = fixture.open();
      pair.stream.sendHeaders(ok);
      pump(pair, 4 * mib);
      fixture.link.settle();
      expect(pair.answer.ends).toHaveLength(1);
    }
    // Had the windows kept what they borrowed, the last would have nothing left to grow by.
    const last = fixture.open();
    let received = 0;
    last.answer.data = (chunk) => (received += chunk.length) < 2 * mib;
    last.stream.sendHeaders(ok);
    pump(last, 20 * mib);
    fixture.link.settle();
    expect(fixture.link.server.heldBytes).toBeGreaterThan(mib);
  });
});

describe("streams that send at the same time", () => {
  test("take turns by bytes, whatever the size of their chunks", () => {
    const fixture = new TunnelFixture({
      agent: { limits: { sendBufferBytes: mib, inFlightBytes: 64 * kib } },
    });
    const pairs = [fixture.open(), fixture.open(), fixture.open()];
    for (const [index, { stream }] of pairs.entries()) {
      stream.sendHeaders(ok);
      const chunk = Buffer.alloc([200 * kib, 10 * kib, 100][index] ?? 0);
      for (let bytes = 0; bytes < 200 * kib; bytes += chunk.length) stream.write(chunk);
    }
    fixture.link.runDeferred();
    for (let batch = 0; batch < 6; batch++) fixture.link.agentChannel.deliver();
    const received = pairs.map(({ answer }) => answer.body.length);
    expect(Math.min(...received)).toBeGreaterThan(0);
    expect(Math.max(...received) - Math.min(...received)).toBeLessThanOrEqual(32 * kib);
  });

  test("let control frames pass", () => {
    const fixture = new TunnelFixture({
      agent: { limits: { sendBufferBytes: 8 * mib, inFlightBytes: 64 * kib } },
    });
    const [bulk, quick] = [fixture.open(), fixture.open()];
    bulk.stream.sendHeaders(ok);
    bulk.stream.write(Buffer.alloc(200 * kib));
    fixture.link.runDeferred();
    quick.stream.sendHeaders({ status: 204, headers: [] });
    while (quick.answer.heads.length === 0) expect(fixture.link.agentChannel.deliver()).toBe(true);
    // Only what was handed to the channel before comes first.
    expect(bulk.answer.body.length).toBeLessThanOrEqual(128 * kib);
  });

  test("give the channel no more at a time than it may hold and one piece", () => {
    const limits = { sendBufferBytes: 8 * mib, inFlightBytes: 64 * kib, quantumBytes: 16 * kib };
    const fixture = new TunnelFixture({ agent: { limits } });
    const { stream } = fixture.open();
    stream.sendHeaders(ok);
    stream.write(Buffer.alloc(40 * kib));
    fixture.link.runDeferred();
    stream.write(Buffer.alloc(200 * kib));
    fixture.link.runDeferred();
    expect(fixture.link.agentChannel.pendingBytes).toBeGreaterThan(64 * kib);
    expect(fixture.link.agentChannel.pendingBytes).toBeLessThan(81 * kib);
  });

  test("send no piece that is longer than the other side takes", () => {
    const fixture = new TunnelFixture({ agent: { limits: { sendBufferBytes: mib, quantumBytes: mib } } });
    const pair = fixture.open();
    pair.stream.sendHeaders(ok);
    pump(pair, 200 * kib);
    fixture.link.settle();
    expect(pair.answer.body.length).toBe(200 * kib);
  });

  test("are written together: many small frames are one write", () => {
    const fixture = new TunnelFixture();
    const pairs = Array.from({ length: 32 }, () => fixture.open());
    fixture.link.settle();
    for (const { stream } of pairs) {
      stream.sendHeaders(ok);
      stream.write(Buffer.alloc(kib));
      stream.end();
    }
    fixture.link.runDeferred();
    expect(fixture.link.agentChannel.writes).toBe(1);
    fixture.link.settle();
    expect(pairs.every(({ answer }) => answer.ends.length === 1)).toBe(true);
  });
});
