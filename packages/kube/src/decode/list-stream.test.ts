import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ListStream, type ListEnvelope } from "./list-stream.ts";

function read(
  chunks: readonly Buffer[],
  maxItemBytes = 1_000_000,
): { items: unknown[]; envelope: ListEnvelope } {
  const items: unknown[] = [];
  const stream = new ListStream({
    subject: "pods",
    maxItemBytes,
    onItem: (bytes) => items.push(JSON.parse(bytes.toString("utf8"))),
  });
  for (const chunk of chunks) stream.push(chunk);
  return { items, envelope: stream.end() };
}

/** Cuts at the given places, in order, each counted from the end of the one before. */
function cut(bytes: Buffer, sizes: readonly number[]): Buffer[] {
  const chunks: Buffer[] = [];
  let from = 0;
  for (let turn = 0; from < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? bytes.length;
    chunks.push(bytes.subarray(from, from + size));
    from += size;
  }
  return chunks;
}

const item = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }));
const anyItem = fc.oneof({ weight: 8, arbitrary: item }, fc.jsonValue({ stringUnit: "binary" }));
const list = fc.record(
  {
    kind: fc.constant("PodList"),
    apiVersion: fc.constant("v1"),
    metadata: fc.record(
      {
        resourceVersion: fc.string(),
        continue: fc.string(),
        remainingItemCount: fc.nat(),
        items: fc.array(item),
      },
      { requiredKeys: [] },
    ),
    items: fc.oneof({ weight: 9, arbitrary: fc.array(anyItem) }, fc.constant(null)),
    other: fc.jsonValue({ stringUnit: "binary" }),
  },
  { requiredKeys: ["kind", "items"] },
);

describe("ListStream", () => {
  it("reads any list, in any order of keys, any white space and any chunks, as JSON.parse does", () => {
    const entries = list.chain((value) =>
      fc.shuffledSubarray(Object.entries(value), { minLength: Object.keys(value).length }),
    );
    const indent = fc.constantFrom(undefined, 1, "\t", "\r\n ");
    const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(entries, indent, sizes, (members, space, chunkSizes) => {
        const value: Record<string, unknown> = Object.fromEntries(members);
        const bytes = Buffer.from(JSON.stringify(value, null, space));
        const { items, envelope } = read(cut(bytes, chunkSizes));

        const parsed = JSON.parse(bytes.toString("utf8")) as {
          items: unknown[] | null;
          metadata?: Record<string, unknown>;
        };
        expect(items).toEqual(parsed.items ?? []);
        expect(envelope.kind).toBe("PodList");
        expect(envelope.resourceVersion).toBe(parsed.metadata?.["resourceVersion"] ?? "");
        expect(envelope.continueToken ?? "").toBe(parsed.metadata?.["continue"] ?? "");
        expect(envelope.remainingItemCount).toBe(parsed.metadata?.["remainingItemCount"]);
      }),
      { numRuns: 300 },
    );
  });

  it("reads a list that arrives byte by byte, with characters of several bytes and escapes", () => {
    const value = {
      items: [{ note: 'ž 語 🪢 "quoted" \\ back\\"slash' }, {}, { list: ["]", "}", ","] }],
      metadata: { resourceVersion: "7", continue: "next" },
    };
    const { items, envelope } = read(cut(Buffer.from(JSON.stringify(value)), [1]));
    expect(items).toEqual(value.items);
    expect(envelope).toMatchObject({ resourceVersion: "7", continueToken: "next" });
  });

  it("says that a list was cut, wherever that happens", () => {
    const bytes = Buffer.from(
      JSON.stringify({ metadata: { resourceVersion: "7" }, items: [{ a: 1 }, { b: "x" }] }),
    );
    for (let length = 0; length < bytes.length; length++) {
      expect(() => read([bytes.subarray(0, length)])).toThrow(
        expect.objectContaining({ code: "ConnectionFailed" }),
      );
    }
  });

  it("refuses an item that is larger than the limit, also while it is still arriving", () => {
    const bytes = Buffer.from(`{"items":[{"data":"${"x".repeat(5000)}`);
    const tooLarge = expect.objectContaining({
      code: "ResponseTooLarge",
      message: expect.stringContaining("pods"),
    });
    expect(() => read(cut(bytes, [100]), 1000)).toThrow(tooLarge);
    expect(() => read([Buffer.from(`{"items":[{"data":"${"x".repeat(5000)}"}]}`)], 1000)).toThrow(tooLarge);
  });

  it("refuses what is no list without collecting it", () => {
    expect(() => read([Buffer.from("<html>login</html>")])).toThrow(
      expect.objectContaining({ code: "ResponseInvalid" }),
    );
    expect(() => read([Buffer.from("[]")])).toThrow(expect.objectContaining({ code: "ResponseInvalid" }));
    const endless = Array.from({ length: 40 }, () => Buffer.alloc(64 * 1024, "x"));
    expect(() => read(endless)).toThrow(expect.objectContaining({ code: "ResponseTooLarge" }));
  });
});
