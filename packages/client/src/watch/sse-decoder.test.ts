import { array, assert, nat, property } from "fast-check";
import { describe, expect, test } from "vitest";

import { SseDecoder, type SseEvent } from "./sse-decoder.ts";

function decode(bytes: Uint8Array, cuts: readonly number[] = [], maxEventBytes = 1000): SseEvent[] {
  const decoder = new SseDecoder(maxEventBytes);
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  return edges.slice(1).flatMap((edge, index) => [...decoder.decode(bytes.subarray(edges[index], edge))]);
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("a stream of server-sent events", () => {
  test.each([
    ["id: 5\ndata: a\n\n", [{ id: "5", data: "a" }]],
    [
      "data: a\n\ndata: b\n\n",
      [
        { id: undefined, data: "a" },
        { id: undefined, data: "b" },
      ],
    ],
    ["data: a\r\n\r\ndata:b\r\rdata: c\n\n", ["a", "b", "c"].map((data) => ({ id: undefined, data }))],
    ["data: a\ndata: b\n\n", [{ id: undefined, data: "a\nb" }]],
    [": hello\n\nid: 7\n\ndata: x\n\n", [{ id: "7", data: "x" }]],
    ["event: ping\nretry: 10\ndata: a\n\n", [{ id: undefined, data: "a" }]],
    [
      "id: 5\ndata: a\n\nid\ndata: b\n\n",
      [
        { id: "5", data: "a" },
        { id: undefined, data: "b" },
      ],
    ],
    ["data: cut off", []],
    ["data: cut off\n", []],
  ])("%j", (text, events) => {
    expect(decode(bytesOf(text))).toEqual(events);
  });

  test("reads the same wherever the network cuts it", () => {
    const text = "id: 1\r\ndata: Grüße\r\n\r\n: note\rdata: 日本語 🦀\rdata: b\r\rid: 2\ndata: c\n\n";
    const whole = decode(bytesOf(text));
    expect(whole).toHaveLength(3);
    assert(
      property(array(nat(200), { maxLength: 20 }), (cuts) => {
        expect(decode(bytesOf(text), cuts)).toEqual(whole);
      }),
    );
  });

  test.each([
    ["in one line", `data: ${"x".repeat(2000)}`],
    ["in many lines", "data: 0123456789\n".repeat(200)],
  ])("refuses an event that is too large %s", (_, text) => {
    expect(() => decode(bytesOf(text))).toThrow(expect.objectContaining({ code: "ResponseTooLarge" }));
  });
});
