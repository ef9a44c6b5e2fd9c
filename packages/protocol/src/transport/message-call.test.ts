import { getEventListeners, once } from "node:events";
import { connect, type ServerHttp2Stream } from "node:http2";

import { BowlineError } from "@bowline/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { openHttp2Pair, type Http2Pair } from "../testing/http2-pair.ts";
import { sessionCall } from "./call-kind.ts";
import { answerMessages, callMessages } from "./message-call.ts";
import { encodeMessage } from "./message-decoder.ts";

let pair: Http2Pair;
beforeEach(async () => {
  pair = await openHttp2Pair();
});
afterEach(() => pair[Symbol.asyncDispose]());

const signal = (): AbortSignal => AbortSignal.timeout(10_000);
const hello = { message: { case: "hello", value: { instance: "pod-1" } } } as const;
const welcome = { message: { case: "welcome", value: { replica: "a" } } } as const;
const beat = (sequence: number) => ({ message: { case: "heartbeat", value: { sequence } } }) as const;

type AgentCall = ReturnType<typeof callSession>;
type ServerCall = ReturnType<typeof answerSession>;
const callSession = (options = { signal: signal() }) => callMessages(pair.session, sessionCall, options);
const answerSession = (stream: ServerHttp2Stream) => answerMessages(stream, sessionCall);

async function establish(): Promise<{ agent: AgentCall; server: ServerCall; stream: ServerHttp2Stream }> {
  const called = Promise.withResolvers<ServerHttp2Stream>();
  pair.onCall = called.resolve;
  const agent = callSession();
  const stream = await called.promise;
  return { agent, server: answerSession(stream), stream };
}

async function collect<T>(messages: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const message of messages) collected.push(message);
  return collected;
}

describe("a call of messages", () => {
  test("carries them both ways and ends when both are done", async () => {
    const { agent, server } = await establish();
    agent.send(hello);
    const first = await server.messages.next();
    expect(first.value).toMatchObject({ message: { case: "hello", value: { instance: "pod-1" } } });
    server.send(welcome);
    expect((await agent.messages.next()).value).toMatchObject(welcome);
    agent.send(beat(1));
    agent.send(beat(2));
    agent.end();
    expect(await collect(server.messages)).toMatchObject([beat(1), beat(2)]);
    server.send(beat(7));
    server.end();
    expect(await collect(agent.messages)).toMatchObject([beat(7)]);
  });

  test("has the path of its method, and what the caller adds to it", async () => {
    const called = Promise.withResolvers<unknown>();
    pair.onCall = (stream, headers) => {
      called.resolve({ ...headers });
      stream.close();
    };
    const headers = { authorization: "Bearer x" };
    const agent = callMessages(pair.session, sessionCall, { signal: signal(), headers });
    expect(await called.promise).toMatchObject({
      ":path": "/bowline.agent.v1.SessionService/OpenSession",
      "content-type": "application/grpc+proto",
      te: "trailers",
      authorization: "Bearer x",
    });
    await expect(agent.messages.next()).rejects.toMatchObject({ code: "ConnectionFailed" });
  });

  test("brings everything that was said before the server failed it, then the failure", async () => {
    const { agent, server } = await establish();
    server.send(welcome);
    for (let sequence = 0; sequence < 500; sequence++) server.send(beat(sequence));
    server.fail(new BowlineError("Forbidden", "The agent “edge” is revoked."));
    const received: unknown[] = [];
    const failed = (async () => {
      for await (const message of agent.messages) received.push(message);
    })();
    await expect(failed).rejects.toMatchObject({
      code: "Forbidden",
      message: "The agent “edge” is revoked.",
    });
    expect(received).toHaveLength(501);
    await expect(collect(server.messages)).rejects.toMatchObject({ code: "Forbidden" });
  });

  test("is refused by a failure right at the start, and its stream is gone", async () => {
    pair.onCall = (stream) => answerSession(stream).fail(new BowlineError("Unauthorized", "Who are you?"));
    const stop = new AbortController();
    const agent = callSession({ signal: stop.signal });
    agent.send(hello);
    await expect(agent.messages.next()).rejects.toMatchObject({ code: "Unauthorized" });
    expect(agent.send(hello)).toBe(true);
    await expect.poll(() => getEventListeners(stop.signal, "abort")).toEqual([]);
  });

  test("says when something else answers", async () => {
    pair.onCall = (stream) => stream.respond({ ":status": 404 }, { endStream: true });
    await expect(callSession().messages.next()).rejects.toThrow("it answered with the status 404");
  });

  test("ends with the signal's reason, and the server sees the call go", async () => {
    const controller = new AbortController();
    const called = Promise.withResolvers<ServerCall>();
    pair.onCall = (stream) => called.resolve(answerSession(stream));
    const agent = callSession({ signal: controller.signal });
    agent.send(hello);
    const server = await called.promise;
    await server.messages.next();
    const waiting = agent.messages.next();
    controller.abort(new BowlineError("Cancelled", "The agent stops."));
    await expect(waiting).rejects.toThrow("The agent stops.");
    await expect(server.messages.next()).rejects.toMatchObject({ code: "ConnectionFailed" });
  });

  test("fails on both sides when the connection is lost", async () => {
    const { agent, server } = await establish();
    agent.send(hello);
    await server.messages.next();
    const both = [agent.messages.next(), server.messages.next()];
    pair.session.destroy();
    for (const side of both) await expect(side).rejects.toMatchObject({ code: "ConnectionFailed" });
    expect(server.send(welcome)).toBe(true);
    await server.drained();
  });
});

describe("a message that must not come", () => {
  test("out of order ends the call with what was expected, and no other call", async () => {
    const other = await establish();
    const { agent, server } = await establish();
    agent.send(beat(1));
    const expected = { code: "ProtocolViolation", message: expect.stringContaining("where expected hello") };
    await expect(server.messages.next()).rejects.toMatchObject(expected);
    await expect(agent.messages.next()).rejects.toMatchObject(expected);
    other.agent.send(hello);
    expect((await other.server.messages.next()).value).toMatchObject(hello);
  });

  test("from the server ends the call on the agent's side", async () => {
    const { agent, server } = await establish();
    server.send(beat(1));
    await expect(agent.messages.next()).rejects.toMatchObject({ code: "ProtocolViolation" });
    await expect(server.messages.next()).rejects.toMatchObject({ code: "ConnectionFailed" });
  });

  test("is not missed when the sender leaves too early", async () => {
    const { agent, server } = await establish();
    agent.end();
    await expect(server.messages.next()).rejects.toThrow("the stream ended in the state 'unknown'");
    await expect(agent.messages.next()).rejects.toMatchObject({ code: "ProtocolViolation" });
  });

  test("is not missed when the sender leaves within it", async () => {
    const called = Promise.withResolvers<ServerCall>();
    pair.onCall = (stream) => called.resolve(answerSession(stream));
    const raw = pair.session.request({ ":method": "POST", ":path": sessionCall.path });
    raw.on("error", () => {});
    raw.resume();
    const whole = encodeMessage(sessionCall.request.encode(hello));
    raw.end(Buffer.concat([whole, whole.subarray(0, -1)]));
    const { messages } = await called.promise;
    expect((await messages.next()).value).toMatchObject(hello);
    await expect(messages.next()).rejects.toThrow("The call ended within a message.");
  });

  test.each<[string, Buffer, string]>([
    ["compressed", Buffer.from([1, 0, 0, 0, 0]), "compressed"],
    ["too long", Buffer.from([0, 0, 4, 0, 1]), "A message of 262145 bytes is longer than the 262144 allowed"],
    ["malformed", encodeMessage(Buffer.from([0x0a, 0x7f, 0x01])), "is malformed"],
    ["empty, again and again", Buffer.alloc(65 * 5), "Too many messages in a row"],
  ])("because it is %s", async (_, bytes, problem) => {
    const called = Promise.withResolvers<ServerCall>();
    pair.onCall = (stream) => called.resolve(answerSession(stream));
    const raw = pair.session.request({ ":method": "POST", ":path": sessionCall.path });
    raw.on("error", () => {});
    raw.resume();
    raw.write(bytes);
    const trailers = once(raw, "trailers");
    await expect((await called.promise).messages.next()).rejects.toMatchObject({
      code: "ProtocolViolation",
      message: expect.stringContaining(problem),
    });
    expect((await trailers)[0]).toMatchObject({ "bowline-code": "ProtocolViolation" });
  });

  test("of a later version is passed over", async () => {
    const { agent, server } = await establish();
    agent.send({ message: { case: undefined } });
    agent.send(hello);
    expect((await server.messages.next()).value).toMatchObject(hello);
  });
});

test("messages that come by the thousand leave turns to everybody else", async () => {
  const called = Promise.withResolvers<ServerCall>();
  pair.onCall = (stream) => called.resolve(answerSession(stream));
  const raw = pair.session.request({ ":method": "POST", ":path": sessionCall.path });
  raw.on("error", () => {});
  const beats = Array.from({ length: 1_000 }, (_, index) => beat(index));
  raw.write(Buffer.concat([hello, ...beats].map((said) => encodeMessage(sessionCall.request.encode(said)))));
  const { messages } = await called.promise;
  await messages.next();
  let turns = 0;
  let isReading = true;
  const count = (): void => {
    turns += 1;
    if (isReading) setImmediate(count);
  };
  setImmediate(count);
  for (let read = 0; read < beats.length; read++) await messages.next();
  isReading = false;
  expect(turns).toBeGreaterThan(10);
});

describe("back-pressure", () => {
  const large = { message: { case: "config", value: { logLevel: "x".repeat(200_000) } } } as const;

  test("tells a sender to wait, and when to go on", async () => {
    const { agent, server } = await establish();
    const reading = collect(agent.messages);
    server.send(welcome);
    let waits = 0;
    for (let sent = 0; sent < 20; sent++) {
      if (server.send(large)) continue;
      waits++;
      await server.drained();
    }
    server.end();
    expect(await reading).toHaveLength(21);
    expect(waits).toBeGreaterThan(0);
  });

  test("lets nobody wait for a peer that is gone", async () => {
    const called = Promise.withResolvers<ServerHttp2Stream>();
    pair.onCall = called.resolve;
    const deaf = connect(pair.url, { settings: { initialWindowSize: 0 } });
    deaf.request({ ":method": "POST", ":path": sessionCall.path }).on("error", () => {});
    const server = answerSession(await called.promise);
    server.send(welcome);
    expect(server.send(large)).toBe(false);
    const waiting = server.drained();
    deaf.destroy();
    await waiting;
    await expect(server.messages.next()).rejects.toMatchObject({ code: "ConnectionFailed" });
  });

  test("ends the call of a peer that reads nothing", async () => {
    const called = Promise.withResolvers<ServerHttp2Stream>();
    pair.onCall = called.resolve;
    const deaf = connect(pair.url, { settings: { initialWindowSize: 0 } });
    deaf.request({ ":method": "POST", ":path": sessionCall.path }).on("error", () => {});
    const server = answerSession(await called.promise);
    const reading = server.messages.next();
    server.send(welcome);
    for (let sent = 0; sent < 8; sent++) server.send(large);
    await expect(reading).rejects.toThrow("does not read");
    deaf.destroy();
  });

  test("ends the call of a peer that sends without end while nobody reads", async () => {
    const { agent, server, stream } = await establish();
    agent.send(hello);
    for (let sent = 0; sent < 6; sent++) {
      agent.send({ message: { case: "configApplied", value: { problem: "x".repeat(200_000) } } });
    }
    await once(stream, "finish");
    await expect(collect(server.messages)).rejects.toMatchObject({ code: "TooManyRequests" });
    await expect(collect(agent.messages)).rejects.toMatchObject({ code: "TooManyRequests" });
  });
});
