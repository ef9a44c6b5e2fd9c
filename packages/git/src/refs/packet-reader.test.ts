import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { GitError } from "../index.ts";
import { packet, PacketReader, type Packet } from "./packet-reader.ts";
import { AdvertisementReader, LsRefsReader } from "./smart-http.ts";

const readAll = (chunks: readonly Buffer[]): Packet[] => {
  const reader = new PacketReader();
  return chunks.flatMap((chunk) => [...reader.push(chunk)]);
};

describe("packets", () => {
  it("are the same however the stream was cut", () => {
    const texts = fc.array(fc.string({ minLength: 1, maxLength: 50 }), { maxLength: 10 });
    fc.assert(
      fc.property(texts, fc.integer({ min: 1, max: 20 }), (lines, size) => {
        const bytes = Buffer.from(`${lines.map(packet).join("")}00010000`);
        const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
          bytes.subarray(at * size, (at + 1) * size),
        );
        const found = readAll(chunks).map((each) =>
          typeof each === "string" ? each : each.toString("utf8"),
        );
        expect(found).toEqual([...lines, "delimiter", "flush"]);
      }),
    );
  });

  it.each(["zzzz", "0003", "ffff", "-001", "<htm"])("do not begin with %s", (text) => {
    expect(() => readAll([Buffer.from(text)])).toThrow(expect.objectContaining({ code: "ResponseInvalid" }));
  });

  it("of a hostile server end in refs or in an error of ours", () => {
    const options = { url: "https://git.example.com/x", prefixes: [], maxRefs: 20 };
    const id = "1".repeat(40);
    const piece = fc.oneof(
      fc.constantFrom("0000", "0001", "0002", "0", "ffff"),
      fc
        .constantFrom(
          "version 2\n",
          "version 1\n",
          "# service=x\n",
          `${id} refs/heads/a\n`,
          `${id} HEAD\0symref=HEAD:`,
        )
        .map((text) => packet(text)),
      fc.string({ minLength: 1, maxLength: 30 }).map((text) => packet(text)),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), fc.boolean(), (pieces, isFirst) => {
        const reader = isFirst ? new AdvertisementReader(options) : new LsRefsReader(options);
        let thrown: unknown = new GitError("ResponseInvalid", "none");
        try {
          for (const each of readAll([Buffer.from(pieces.join(""))])) reader.read(each);
          reader.end();
        } catch (error) {
          thrown = error;
        }
        expect(thrown).toBeInstanceOf(GitError);
      }),
    );
  });
});
