import { BowlineError } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import { framed } from "../connection/message-splitter.ts";
import { decodeAnswer } from "../message/message.ts";
import { honest, TamperingProxy, type Tamper } from "../testing/tampering-proxy.ts";
import { a, openForTest, WriterStage } from "../testing/writer-stage.ts";

const owner = "0198c5a0-7a4e-7d3a-9c51-3f1d2b6a8e90/shop";
const { signal } = new AbortController();
const by = { owner, signal };
const host = "web.example.com";

let stage: WriterStage;
beforeAll(async () => {
  stage = await WriterStage.start("example.com");
  await stage.nsupdate(
    `update add ${host}. 60 A 192.0.2.1`,
    `update add _bowline.${host}. 300 TXT "heritage=bowline,owner=${owner}"`,
  );
});
afterAll(() => stage[Symbol.asyncDispose]());

async function startProxy(tamper: Tamper = honest): Promise<TamperingProxy> {
  const proxy = await TamperingProxy.start(stage.bind.port);
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  proxy.tamper = tamper;
  return proxy;
}

/** The true answer, changed. */
function changed(change: (answer: Buffer, request: Buffer) => Buffer): Tamper {
  return async (request, ask) => ({ send: [framed(change(await ask(request), request))] });
}

const untrusted = (part: string): object => ({
  code: "ResponseInvalid",
  message: expect.stringContaining(part),
});

test("an answer of which a byte was changed is refused, or says the same", async () => {
  const proxy = await startProxy();
  const writer = stage.open({ server: proxy.address });
  const truth = await writer.look(host, signal);
  let length = 0;
  for (let at = 0; at === 0 || at < length; at += 3) {
    proxy.tamper = changed((answer) => {
      length = answer.length;
      answer.writeUInt8(answer.readUInt8(at) ^ 0x20, at);
      return answer;
    });
    const outcome = await writer.look(host, signal).catch((error: unknown) => BowlineError.from(error).code);
    // AuthFailed is what a server would say that could not sign.
    expect([truth, "ResponseInvalid", "AuthFailed"]).toContainEqual(outcome);
  }
  expect(length).toBeGreaterThan(100);
});

test("an answer without a signature, or with that of an earlier one, decides nothing", async () => {
  const proxy = await startProxy(
    changed((answer) => {
      const { tsig } = decodeAnswer(answer);
      const bare = Buffer.from(answer.subarray(0, tsig?.offset));
      bare.writeUInt16BE(bare.readUInt16BE(10) - 1, 10);
      return bare;
    }),
  );
  const writer = stage.open({ server: proxy.address });
  await expect(writer.look(host, signal)).rejects.toMatchObject(untrusted("is not signed with the key"));

  const before: Buffer[] = [];
  const recording = changed((answer) => {
    before.push(Buffer.from(answer));
    return answer;
  });
  proxy.tamper = recording;
  await writer.look(host, signal);
  proxy.tamper = changed((_, request) => {
    const replayed = Buffer.from(before[0] ?? Buffer.alloc(0));
    request.copy(replayed, 0, 0, 2);
    return replayed;
  });
  await expect(writer.look(host, signal)).rejects.toMatchObject(untrusted("is not made with the key"));
});

test("without a key, an answer still has to be one, to this request, whole and of the zone's server", async () => {
  const proxy = await startProxy();
  const writer = openForTest({ server: proxy.address, zone: "example.com" });
  const flag = (at: number, bit: number): Tamper =>
    changed((answer) => {
      answer.writeUInt8(answer.readUInt8(at) ^ bit, at);
      return answer;
    });
  for (const [tamper, expected] of [
    [flag(0, 1), untrusted("another request")],
    [flag(2, 0x80), untrusted("It is a request")],
    [flag(2, 0x08), untrusted("another request")],
    [flag(2, 0x02), untrusted("It is cut off")],
    [flag(2, 0x04), { code: "NotFound", message: expect.stringContaining("zone of its own") }],
    [flag(14, 1), untrusted("another question")],
    [changed((answer) => answer.subarray(0, 20)), untrusted("It is not a message of DNS")],
    [changed((answer) => Buffer.concat([answer, Buffer.from([0])])), untrusted("after its end")],
    [changed(() => Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")), untrusted("It is not a message of DNS")],
    [changed(() => Buffer.alloc(65_535, 0xc0)), untrusted("It is not a message of DNS")],
    [(): object => ({ send: [Buffer.from([0, 0])] }), untrusted("it is empty")],
  ] as const) {
    proxy.tamper = tamper;
    await expect(writer.look(host, signal)).rejects.toMatchObject(expected);
  }
});

test.each([
  [2, "ServerError", "failed at reading the zone example.com"],
  [1, "BadRequest", "did not understand the request"],
  [4, "MethodNotSupported", "does not take updates"],
  [5, "Forbidden", "does not let the key bowline-test ask"],
  [9, "NotFound", "name the primary server"],
  [10, "InvalidArgument", "outside of the zone example.com"],
  [12, "ResponseInvalid", "RCODE 12"],
])("an answer with the code %s is told in words, whoever signed it", async (rcode, code, words) => {
  const proxy = await startProxy(
    changed((_, request) => {
      const answer = Buffer.from(request.subarray(0, 12));
      answer.writeUInt16BE(0x80_00 | (rcode & 0xf), 2);
      answer.fill(0, 4);
      return answer;
    }),
  );
  const writer = stage.open({ server: proxy.address });
  await expect(writer.look(host, signal)).rejects.toMatchObject({
    code,
    message: expect.stringContaining(words),
  });
});

test("an answer in pieces is one, and what comes without being asked for ends the connection", async () => {
  const proxy = await startProxy(async (request, ask) => ({
    send: Array.from(framed(await ask(request)), (byte) => Buffer.from([byte])),
  }));
  const writer = stage.open({ server: proxy.address });
  expect((await writer.look(host, signal)).owner).toBe(owner);
  expect(proxy.connections).toBe(1);
  proxy.tamper = async (request, ask) => {
    const answer = framed(await ask(request));
    return { send: [Buffer.concat([answer, answer])] };
  };
  expect((await writer.look(host, signal)).owner).toBe(owner);
  expect(proxy.connections).toBeGreaterThan(2);
});

test("one connection is used again, closed when idle, and replaced when the server has closed it", async () => {
  const clock = new ManualClock(Date.now());
  const proxy = await startProxy();
  const writer = stage.open({ server: proxy.address, clock, idleMs: 5_000 });
  await Promise.all([
    writer.look(host, signal),
    writer.look(host, signal),
    writer.put(host, [a("192.0.2.1")], by),
  ]);
  expect(proxy.connections).toBe(1);
  await clock.advance(5_000);
  await expect.poll(() => proxy.open).toBe(0);
  await writer.look(host, signal);
  expect(proxy.connections).toBe(2);
  // A server that ends each connection after its answer.
  proxy.tamper = async (request, ask) => ({ send: [framed(await ask(request))], close: "end" });
  expect((await writer.look(host, signal)).owner).toBe(owner);
  await writer[Symbol.asyncDispose]();
  await expect.poll(() => proxy.open).toBe(0);
  expect(clock.pending).toBe(0);
  await expect(writer.look(host, signal)).rejects.toMatchObject({ code: "Cancelled" });
});

test("silence ends at the limit or when nobody waits any more, and takes the connection with it", async () => {
  const clock = new ManualClock(Date.now());
  const proxy = await startProxy(() => ({}));
  const writer = stage.open({ server: proxy.address, clock, limitMs: 3_000 });
  const late = writer.look(host, signal).catch((error: unknown) => error);
  await clock.armed(3_000);
  await clock.advance(3_000);
  expect(await late).toMatchObject({
    code: "Timeout",
    message: expect.stringContaining("did not answer within 3 s"),
  });
  const gone = new AbortController();
  const first = writer.look(host, signal).catch((error: unknown) => error);
  const given = writer.look(host, gone.signal).catch((error: unknown) => error);
  await clock.armed(3_000);
  gone.abort(new BowlineError("Cancelled", "enough"));
  // It waits neither for its turn nor for the one before it.
  expect(await given).toMatchObject({ code: "Cancelled", message: "enough" });
  await clock.advance(3_000);
  expect(await first).toMatchObject({ code: "Timeout" });
  const last = new AbortController();
  const asked = writer.look(host, last.signal).catch((error: unknown) => error);
  await clock.armed(3_000);
  last.abort(new BowlineError("Cancelled", "now"));
  expect(await asked).toMatchObject({ message: "now" });
  await expect.poll(() => proxy.open).toBe(0);
  proxy.tamper = honest;
  expect((await writer.look(host, signal)).owner).toBe(owner);
});

test("a server that is not there, or hangs up, is named with what to do", async () => {
  const proxy = await startProxy(() => ({ close: "reset" }));
  await expect(stage.open({ server: proxy.address }).look(host, signal)).rejects.toMatchObject({
    code: "Unreachable",
    retryable: true,
    message: `The DNS server ${proxy.address} ended the connection before it had answered (ECONNRESET).`,
  });
  const { address } = proxy;
  await proxy[Symbol.asyncDispose]().catch(() => undefined);
  await expect(stage.open({ server: address }).look(host, signal)).rejects.toThrow(
    "nothing listens there over TCP",
  );
  await expect(stage.open({ server: "nowhere.invalid" }).look(host, signal)).rejects.toThrow(
    "its name is not known",
  );
});

test("an update whose connection is cut on its way or on its way back is made as a whole or not at all", async () => {
  const target = "cut.example.com";
  const names = [target, `_bowline.${target}`];
  const states: string[][] = [];
  for (const cut of ["never sent", "sent", "half of the answer", "answered"] as const) {
    const proxy = await startProxy(async (request, ask) => {
      const isChange = request.readUInt16BE(8) > 0;
      if (!isChange || cut === "answered") return honest(request, ask, 0);
      if (cut === "never sent") return { close: "reset" };
      const answer = framed(await ask(request));
      return { send: cut === "sent" ? [] : [answer.subarray(0, answer.length / 2)], close: "end" };
    });
    const writer = stage.open({ server: proxy.address });
    const done = await writer.put(target, [a("192.0.2.1", "192.0.2.2")], by).catch(() => "failed");
    expect(done).toEqual(cut === "answered" ? { outcome: "changed" } : "failed");
    states.push(await stage.at(...names));
    // Whoever comes after it ends up with the same.
    const after = stage.open();
    expect(await after.put(target, [a("192.0.2.1", "192.0.2.2")], by)).toEqual({
      outcome: cut === "never sent" ? "changed" : "kept",
    });
    expect(await after.look(target, signal)).toEqual({ sets: [a("192.0.2.1", "192.0.2.2")], owner });
    expect(await after.remove(target, by)).toBe("gone");
  }
  expect(states.map(({ length }) => length)).toEqual([0, 3, 3, 3]);
});
