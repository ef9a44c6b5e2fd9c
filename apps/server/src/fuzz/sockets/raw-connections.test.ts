import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

import { createValidator, ErrorBody } from "@bowline/api";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";

import { defaultLimits, limitServer, type HttpLimits } from "../../http/limits.ts";
import { openTestApi } from "../../api/testing/api-harness.ts";
import { rawExchange, statusesIn, type RawExchange } from "./raw-exchange.ts";

interface Listening {
  readonly port: number;
  readonly send: (parts: RawExchange["parts"], atEnd?: RawExchange["atEnd"]) => Promise<string>;
  /** From now on; without any, a busy machine has time enough for an ordinary request. */
  readonly limit: (limits?: Partial<HttpLimits>) => void;
  /** How an ordinary request is answered, and what is left of all that was sent. */
  readonly health: () => Promise<Health>;
}

interface Health {
  readonly statuses: readonly number[];
  readonly connections: number;
  readonly log: readonly string[];
}

const healthy: Health = { statuses: [200], connections: 0, log: [] };

const head = "GET /api/v1/credentials HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer operator\r\n";
const get = `${head}\r\n`;
const lastGet = `${head}Connection: close\r\n\r\n`;
const body = JSON.stringify({ metadata: { name: "a" }, spec: {} });
const postHead =
  "POST /api/v1/clusters?dryRun=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer operator\r\nContent-Type: application/json\r\n";
const post = `${postHead}Content-Length: ${body.length}\r\n\r\n${body}`;

async function listen(limits: Partial<HttpLimits> = {}): Promise<Listening> {
  const { app, log } = await openTestApi({ limits });
  const { port: text } = new URL(await app.listen({ port: 0, host: "127.0.0.1" }));
  const port = Number(text);
  const send: Listening["send"] = (parts, atEnd = "wait") => rawExchange({ port, parts, atEnd });
  const limit: Listening["limit"] = (changed = {}) =>
    limitServer(app.server, { ...defaultLimits, ...changed });
  return {
    port,
    send,
    limit,
    async health() {
      limit();
      const statuses = statusesIn(await send([lastGet]));
      limit(limits);
      await expect.poll(() => connectionsOf(app.server)).toBe(0);
      return { statuses, connections: 0, log };
    },
  };
}

function connectionsOf(server: {
  getConnections: (done: (error: Error | null, count: number) => void) => unknown;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

const readError = createValidator(ErrorBody);

/** Status and code of what came back, if that is one error in the usual shape; else all of it. */
function errorIn(text: string): string {
  const [headers = "", json = ""] = text.split("\r\n\r\n");
  const [status, ...others] = statusesIn(text);
  const body = json.startsWith("{") ? readError(JSON.parse(json)) : { ok: false as const };
  if (!body.ok || others.length > 0 || !/\r\nx-request-id: /iu.test(headers)) return text;
  return `${status} ${body.value.error.code}`;
}

describe("Half of a request", () => {
  test.each(["end", "reset"] as const)("leaves nothing behind, wherever it stops, by %s", async (atEnd) => {
    const { send, health } = await listen();
    const ends = Array.from({ length: post.length - 1 }, (_, index) => index + 1).filter(
      (end) => end % 7 === 0,
    );
    const answers = await Promise.all(ends.map((end) => send([post.slice(0, end)], atEnd)));
    expect(answers.map(errorIn).filter((error) => error !== "" && error !== "400 BadRequest")).toEqual([]);
    expect(await health()).toEqual(healthy);
  });

  test("is given up when the rest takes too long", async () => {
    const { send, health } = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
    expect(errorIn(await send([post.slice(0, 30)]))).toBe("408 RequestTimeout");
    expect(await health()).toEqual(healthy);
  });

  test.each([
    ["comes too slowly", post.slice(0, 30)],
    ["has no end", post.slice(0, -5)],
    ["never begins", ""],
  ])("that %s leaves no connection behind, though the client ends nothing", async (_, part) => {
    const { port, health } = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
    const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    socket.write(part);
    await once(socket.resume(), "end");
    expect(await health()).toEqual(healthy);
    socket.destroy();
  });

  test("is given up when it comes byte by byte, and nobody else has to wait for it", async () => {
    const limits = { headersTimeoutMs: 150, requestTimeoutMs: 300 };
    const { send, limit, health } = await listen(limits);
    limit();
    const slowly = Array.from(post).flatMap((byte) => [byte, () => sleep(20)]);
    const slow = Array.from({ length: 20 }, () => send(slowly, "end"));
    expect(statusesIn(await send([lastGet]))).toEqual([200]);
    limit(limits);
    expect(new Set((await Promise.all(slow)).map(errorIn))).toEqual(new Set(["408 RequestTimeout"]));
    expect(await health()).toEqual(healthy);
  });

  test("is given up when the body does not come", async () => {
    const { send, health } = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
    expect(errorIn(await send([post.slice(0, -5)]))).toBe("408 RequestTimeout");
    expect(await health()).toEqual(healthy);
  });
});

describe("Headers that are too large", () => {
  const large = `${head}X-Large: ${"x".repeat(10_000)}\r\n\r\n`;

  test("are refused, also on a connection that had answers before", async () => {
    const { send, health } = await listen({ maxHeaderBytes: 8_192 });
    expect(errorIn(await send([large]))).toBe("431 HeadersTooLarge");
    expect(statusesIn(await send([get, /"items":\[\]\}$/u, large]))).toEqual([200, 431]);
    expect(await health()).toEqual(healthy);
  });

  test("and too many of them are refused alike", async () => {
    const { send, health } = await listen();
    const many = Array.from({ length: 4_000 }, (_, index) => `X-${index}: 1\r\n`).join("");
    expect(errorIn(await send([`${head}${many}\r\n`]))).toBe("431 HeadersTooLarge");
    expect(await health()).toEqual(healthy);
  });
});

describe("Behind a request on the same connection", () => {
  test("others are answered in their order", async () => {
    const { send, health } = await listen();
    const requests = Array.from({ length: 50 }, (_, index) => `${head}X-Request-Id: r${index}\r\n\r\n`);
    const text = await send([[...requests, lastGet].join("")]);
    const ids = [...text.matchAll(/x-request-id: (?<id>r\d+)/giu)].map(({ groups }) => groups?.["id"]);
    expect(ids).toEqual(requests.map((_, index) => `r${index}`));
    expect(await health()).toEqual(healthy);
  });

  test.each([
    "nonsense\r\n\r\n",
    "\0\0\0\0",
    "GET",
    "{}",
    "\r\n\r\n\r\nx\r\n\r\n",
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
  ])("%j ends it, and is not taken for an answer to the request", async (garbage) => {
    const { send, health } = await listen();
    for (const request of [get, `${head}Expect: the-impossible\r\n\r\n`]) {
      const statuses = statusesIn(await send([request + garbage], "end"));
      expect([[], [200], [200, 400]]).toContainEqual(statuses);
    }
    expect(await health()).toEqual(healthy);
  });
});

/** Requests that two servers in a row could understand differently, and what is no HTTP/1.1 at all. */
const refused: readonly (readonly [what: string, bytes: string])[] = [
  [
    "a length and chunks",
    `${postHead}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${get}`,
  ],
  ["two lengths", `${postHead}Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef`],
  ["a length with a sign", `${postHead}Content-Length: +5\r\n\r\nabcde`],
  ["a negative length", `${postHead}Content-Length: -1\r\n\r\n`],
  ["a length that is too large for a number", `${postHead}Content-Length: ${"9".repeat(30)}\r\n\r\n`],
  ["an unknown encoding", `${postHead}Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n`],
  ["a chunk without a size", `${postHead}Transfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n0\r\n\r\n`],
  [
    "a chunk that is too large for a number",
    `${postHead}Transfer-Encoding: chunked\r\n\r\n${"f".repeat(30)}\r\n`,
  ],
  ["a space before a colon", `${head}X-A : b\r\n\r\n`],
  ["a line that goes on", `${head}X-A: b\r\n c\r\n\r\n`],
  ["NUL in a header", `${head}X-A: b\0c\r\n\r\n`],
  ["a carriage return in a header", `${head}X-A: b\rX-B: c\r\n\r\n`],
  ["no host", "GET /api/v1/clusters HTTP/1.1\r\n\r\n"],
  ["another version", "GET /api/v1/clusters HTTP/3.0\r\nHost: x\r\n\r\n"],
  ["an unknown method", "STEAL /api/v1/clusters HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["a NUL in the address", "GET /api/v1/clusters\0 HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["bytes beyond ASCII in the address", "GET /api/v1/cl\u{fc}sters HTTP/1.1\r\nHost: x\r\n\r\n"],
  ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
  ["TLS", "\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003"],
  ["SSH", "SSH-2.0-OpenSSH_9.9\r\n"],
];

describe("What is no request", () => {
  test.each(refused)("%s is refused", async (_, bytes) => {
    const { send, health } = await listen();
    expect(errorIn(await send([Buffer.from(bytes, "latin1")], "end"))).toBe("400 BadRequest");
    expect(await health()).toEqual(healthy);
  });

  test("a tunnel is not made, a protocol not changed, and an expectation ignored", async () => {
    const { send, health } = await listen();
    expect(statusesIn(await send(["CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"]))).toEqual([]);
    const upgrade = `${head}Connection: Upgrade, close\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\r\n`;
    expect(statusesIn(await send([upgrade]))).toEqual([200]);
    const expecting = `${head}Expect: the-impossible\r\nConnection: close\r\n\r\n`;
    expect(statusesIn(await send([expecting]))).toEqual([200]);
    expect(await health()).toEqual(healthy);
  });

  test("the address of the server before the path changes nothing", async () => {
    const { send, health } = await listen();
    const absolute = lastGet.replace("GET /", "GET http://bowline.example.com/");
    expect(statusesIn(await send([absolute]))).toEqual([200]);
    expect(errorIn(await send(["OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"]))).toBe(
      "404 NotFound",
    );
    expect(await health()).toEqual(healthy);
  });
});

const seed = Number(process.env["FUZZ_SEED"] ?? Date.now() % 1_000_000);
const numRuns = Number(process.env["FUZZ_RUNS"] ?? 150);

test(`Any bytes are refused or answered, with the seed ${seed}`, { timeout: 3_600_000 }, async () => {
  const { send, health } = await listen();
  const requests = fc.constantFrom(
    get,
    post,
    `${postHead}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n0\r\n\r\n`,
  );
  const edits = fc.array(
    fc.record({ at: fc.nat(300), cut: fc.nat(4), put: fc.uint8Array({ maxLength: 4 }) }),
    { minLength: 1, maxLength: 4 },
  );
  const edited = fc
    .tuple(requests, edits)
    .map(([request, changes]) =>
      changes.reduce(
        (bytes, { at, cut, put }) => Buffer.concat([bytes.subarray(0, at), put, bytes.subarray(at + cut)]),
        Buffer.from(request),
      ),
    );
  const bytes = fc.oneof(
    edited,
    fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array)),
  );
  const property = fc.asyncProperty(bytes, async (sent) => {
    const text = await send([sent], "end");
    const strange = statusesIn(text).filter((status) => status < 200 || status >= 500);
    expect({ text, strange }).toEqual({ text, strange: [] });
  });
  await fc.assert(property, { seed, numRuns });
  expect(await health()).toEqual(healthy);
});
