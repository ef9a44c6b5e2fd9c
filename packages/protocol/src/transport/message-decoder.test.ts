import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { encodeMessage, MessageDecoder } from "./message-decoder.ts";

describe("MessageDecoder", () => {
  test("finds the messages however their bytes were cut", () => {
    const messages = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 });
    fc.assert(
      fc.property(messages, fc.array(fc.integer({ min: 1, max: 30 })), (sent, cuts) => {
        const decoder = new MessageDecoder(40);
        let bytes = Buffer.concat(sent.map((message) => encodeMessage(message)));
        const received: Buffer[] = [];
        for (const cut of [...cuts, bytes.length]) {
          received.push(...decoder.push(bytes.subarray(0, cut)));
          bytes = bytes.subarray(cut);
        }
        decoder.finish();
        expect(received.map((message) => [...message])).toEqual(sent.map((message) => [...message]));
      }),
      { seed: 20_260_121, numRuns: 300 },
    );
  });

  test("refuses a message that is too long by its first five bytes", () => {
    const decoder = new MessageDecoder(10);
    expect(() => [...decoder.push(encodeMessage(Buffer.alloc(11)).subarray(0, 5))]).toThrow(
      "A message of 11 bytes is longer than the 10 allowed here.",
    );
  });

  test("does not take the beginning of a message for the whole", () => {
    const decoder = new MessageDecoder(10);
    expect([...decoder.push(encodeMessage(Buffer.alloc(4)).subarray(0, 8))]).toEqual([]);
    expect(() => decoder.finish()).toThrow("The call ended within a message.");
  });
});
