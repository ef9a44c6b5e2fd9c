import { describe, expect, test } from "vitest";

import { ReceiveQueue, unpinned } from "./receive-queue.ts";

function drain(queue: ReceiveQueue): Buffer[] {
  const pieces: Buffer[] = [];
  for (let piece = queue.shift(); piece !== undefined; piece = queue.shift()) pieces.push(piece);
  return pieces;
}

/** The memory that stays alive with the pieces. */
function pinnedBytes(pieces: readonly Buffer[]): number {
  const buffers = new Set(pieces.map(({ buffer }) => buffer));
  return [...buffers].reduce((sum, { byteLength }) => sum + byteLength, 0);
}

const large = (fill: number): Buffer => Buffer.alloc(5000, fill);

describe("ReceiveQueue", () => {
  test("keeps the order of small and large pieces", () => {
    const queue = new ReceiveQueue();
    const pieces = [
      Buffer.from("ab"),
      large(1),
      Buffer.from("c"),
      Buffer.from("d"),
      large(2),
      Buffer.from("e"),
    ];
    for (const piece of pieces) queue.push(piece);
    expect(queue.bytes).toBe(10_005);
    expect(Buffer.concat(drain(queue))).toEqual(Buffer.concat(pieces));
    expect(queue.bytes).toBe(0);
    expect(queue.shift()).toBeUndefined();
  });

  test("goes on gathering after it was read from", () => {
    const queue = new ReceiveQueue();
    queue.push(Buffer.from("a"));
    expect(queue.shift()?.toString()).toBe("a");
    queue.push(Buffer.from("b"));
    queue.push(large(1));
    queue.push(Buffer.from("c"));
    expect(queue.shift()?.toString()).toBe("b");
    queue.push(Buffer.from("d"));
    expect(drain(queue).map(({ length }) => length)).toEqual([5000, 2]);
  });

  test("begins anew after it was cleared", () => {
    const queue = new ReceiveQueue();
    queue.push(Buffer.from("gone"));
    queue.clear();
    expect([queue.bytes, queue.shift()]).toEqual([0, undefined]);
    queue.push(Buffer.from("new"));
    expect(drain(queue).map(String)).toEqual(["new"]);
  });

  test("gathers more than one buffer full", () => {
    const queue = new ReceiveQueue();
    const bytes = Buffer.from(Array.from({ length: 50_000 }, (_, index) => index & 0xff));
    for (let at = 0; at < bytes.length; at += 999) queue.push(bytes.subarray(at, at + 999));
    const pieces = drain(queue);
    expect(pieces.length).toBeLessThan(6);
    expect(Buffer.concat(pieces)).toEqual(bytes);
  });

  test.each([
    ["single bytes of large buffers", () => Buffer.alloc(16_384).subarray(7, 8), 3000],
    ["a third of large buffers", () => Buffer.alloc(16_384).subarray(0, 5461), 40],
    ["a sixth of large buffers", () => Buffer.alloc(65_536).subarray(0, 10_000), 40],
  ])("does not keep much more memory than it has bytes: %s", (_, make, count) => {
    const queue = new ReceiveQueue();
    for (let index = 0; index < count; index++) queue.push(make());
    const { bytes } = queue;
    expect(pinnedBytes(drain(queue))).toBeLessThanOrEqual(4 * bytes + 16_384);
  });

  test("does not keep much more memory than it has bytes: tiny and large in turn", () => {
    const queue = new ReceiveQueue();
    for (let index = 0; index < 100; index++) {
      queue.push(Buffer.alloc(16_384).subarray(0, 1));
      queue.push(large(index));
    }
    const { bytes } = queue;
    expect(pinnedBytes(drain(queue))).toBeLessThanOrEqual(2 * bytes);
  });
});

test("unpinned copies a small view of a large buffer, and nothing else", () => {
  const buffer = Buffer.alloc(16_384, "x");
  const most = buffer.subarray(0, 10_000);
  expect(unpinned(most)).toBe(most);
  const copy = unpinned(buffer.subarray(5, 105));
  expect(copy).toEqual(buffer.subarray(5, 105));
  expect(copy.buffer.byteLength).toBe(100);
});
