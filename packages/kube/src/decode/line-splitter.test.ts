import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LineSplitter } from "./line-splitter.ts";

function splitAll(
  chunks: readonly Buffer[],
  maxLineBytes = 1_000_000,
): { lines: string[]; midLine: boolean } {
  const splitter = new LineSplitter({ maxLineBytes, subject: "pods" });
  const lines = chunks.flatMap((chunk) => Array.from(splitter.split(chunk), String));
  return { lines, midLine: splitter.midLine };
}

describe("LineSplitter", () => {
  it("gives the same lines however the bytes are cut", () => {
    const line = fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", ""));
    const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1 });
    fc.assert(
      fc.property(fc.array(line), sizes, (lines, chunkSizes) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(""));
        const chunks: Buffer[] = [];
        for (let from = 0, turn = 0; from < bytes.length; turn++) {
          const size = chunkSizes[turn % chunkSizes.length] ?? 1;
          chunks.push(bytes.subarray(from, from + size));
          from += size;
        }
        // A lone surrogate becomes U+FFFD on the way to UTF-8, so compare with what was sent.
        expect(splitAll(chunks)).toEqual({
          lines: lines.map((each) => Buffer.from(each).toString()),
          midLine: false,
        });
      }),
      { numRuns: 150 },
    );
  });

  it("knows when the stream stands in the middle of a line", () => {
    expect(splitAll([Buffer.from("a\nb")])).toEqual({ lines: ["a"], midLine: true });
    expect(splitAll([Buffer.from("a\nb"), Buffer.from("\n")])).toEqual({ lines: ["a", "b"], midLine: false });
  });

  it("takes lines up to the limit and names what was too long", () => {
    expect(splitAll([Buffer.from("12345"), Buffer.from("67890\n")], 10).lines).toEqual(["1234567890"]);
    const tooLarge = expect.objectContaining({
      code: "ResponseTooLarge",
      message: expect.stringContaining("pods"),
    });
    expect(() => splitAll([Buffer.from("12345"), Buffer.from("678901\n")], 10)).toThrow(tooLarge);
    expect(() => splitAll([Buffer.from("12345"), Buffer.from("678901")], 10)).toThrow(tooLarge);
  });
});
