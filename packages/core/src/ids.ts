import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";

import type { Clock } from "./clock.ts";

/** Bytes nobody can guess. `randomBytes` of `node:crypto` is one. */
export type RandomBytes = (size: number) => Uint8Array;

/**
 * The 42 bits after version and time (12 of `rand_a`, 30 of `rand_b`) count within a millisecond, from a random start,
 * as RFC 9562 section 6.2 method 1 describes; 42 bits fit into a number and leave 32 bits of pure chance.
 */
const counterLimit = 2 ** 42;
/** The start keeps the top bit free, so that no millisecond runs out of numbers in practice. */
const counterStartLimit = 2 ** 41;
const largestTimeMs = 2 ** 48 - 1;

/**
 * Makes ids that sort by the time they were made, and within one generator strictly by the order they were made, also
 * within a millisecond and when the wall clock goes back: time then stands still until the clock has caught up.
 */
export function createUuidV7Generator(clock: Pick<Clock, "now">, randomBytes: RandomBytes): () => string {
  let timeMs = -1;
  let counter = 0;
  return () => {
    const random = Buffer.from(randomBytes(10));
    const nowMs = Math.min(Math.max(0, Math.trunc(clock.now())), largestTimeMs);
    counter += 1;
    if (nowMs > timeMs || counter === counterLimit) {
      timeMs = Math.max(nowMs, timeMs + 1);
      counter = random.readUIntBE(4, 6) % counterStartLimit;
    }
    return format(timeMs, counter, random.readUInt32BE(0));
  };
}

function format(timeMs: number, counter: number, random: number): string {
  const time = hex(timeMs, 12);
  const randA = hex(Math.floor(counter / 2 ** 30), 3);
  const low = counter % 2 ** 30;
  const variantAndHigh = hex(0x8000 + Math.floor(low / 2 ** 16), 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randA}-${variantAndHigh}-${hex(low % 2 ** 16, 4)}${hex(random, 8)}`;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}

/** A name that a client may give its request: fit for a log line, a header and a database column. */
const saneId = /^[A-Za-z0-9._~-]{1,64}$/u;

/** Names requests. Unique by a random part for the process and a count: asking for chance every time would cost more. */
export function createRequestIds(randomBytes: RandomBytes): (request?: IncomingMessage) => string {
  const prefix = Buffer.from(randomBytes(6)).toString("hex");
  let count = 0;
  return (request) => {
    const given = request?.headers["x-request-id"];
    if (typeof given === "string" && saneId.test(given)) return given;
    count += 1;
    return `${prefix}-${count.toString(36)}`;
  };
}

/** `sha256:` and the hash in hex: the same content has the same id, everywhere. */
export function contentId(content: string): string {
  return `sha256:${createHash("sha256").update(content).digest("hex")}`;
}
