import type { BowlineError } from "@bowline/core";
import { describe, expect, test } from "vitest";

import { TunnelFixture } from "../testing/manual-link.ts";
import { RecordingHandler } from "../testing/recording-handler.ts";
import { RawPeer } from "../testing/recording-sink.ts";

/** Nothing is left of any stream on either side. */
function expectQuiet({ link }: TunnelFixture): void {
  expect([link.server.streams, link.agent.streams]).toEqual([0, 0]);
  expect([link.server.heldBytes, link.agent.heldBytes]).toEqual([0, 0]);
}

const ok = { status: 200, headers: ["content-type", "text/plain"] };

describe("a stream", () => {
  test("carries a request without a body and its answer", () => {
    const fixture = new TunnelFixture();
    const headers = ["Accept", "a", "accept", "b", "X-Empty", ""];
    const { stream, head, hasBody, handler, answer } = fixture.open({
      method: "GET",
      path: "/a?b=c",
      headers,
    });
    expect(head).toEqual({ method: "GET", path: "/a?b=c", headers, upgrade: undefined });
    expect(hasBody).toBe(false);
    expect(handler.ends).toEqual([[]]);
    stream.sendHeaders(ok);
    stream.write(Buffer.from("hello"));
    stream.end(["x-checksum", "5"]);
    fixture.link.settle();
    expect(answer.heads).toEqual([ok]);
    expect(answer.text).toBe("hello");
    expect(answer.ends).toEqual([["x-checksum", "5"]]);
    expectQuiet(fixture);
  });

  test("carries a body up with its trailers", () => {
    const fixture = new TunnelFixture();
    const { request, hasBody, handler } = fixture.open({ method: "POST" }, true);
    expect(hasBody).toBe(true);
    request.write(Buffer.from("one "));
    request.write(Buffer.from("two"));
    request.end(["x-t", "v"]);
    fixture.link.settle();
    expect(handler.text).toBe("one two");
    expect(handler.ends).toEqual([["x-t", "v"]]);
  });

  test("can be answered completely before the request has ended", () => {
    const fixture = new TunnelFixture();
    const { request, stream, handler, answer } = fixture.open({ method: "POST" }, true);
    request.write(Buffer.from("a"));
    stream.sendHeaders(ok);
    stream.write(Buffer.from("early"));
    stream.end();
    fixture.link.settle();
    expect(answer.text).toBe("early");
    expect(answer.ends).toHaveLength(1);
    request.write(Buffer.from("b"));
    request.end();
    fixture.link.settle();
    expect(handler.text).toBe("ab");
    expect([...answer.errors, ...handler.errors]).toEqual([]);
    expectQuiet(fixture);
  });

  test("stops sending a body that the other side no longer wants after its answer", () => {
    const fixture = new TunnelFixture({ server: { limits: { sendBufferBytes: 4 } } });
    const { request, stream, handler, answer } = fixture.open({ method: "POST" }, true);
    stream.sendHeaders({ status: 413, headers: [] });
    stream.discard();
    expect(request.write(Buffer.from("too much"))).toBe(false);
    stream.end();
    fixture.link.settle();
    expect(answer.ends).toHaveLength(1);
    expect(handler).toMatchObject({ chunks: [], ends: [], errors: [] });
    expect(answer.errors).toEqual([]);
    expect(answer.drains).toBe(1);
    expect(request.write(Buffer.from("more"))).toBe(true);
    expectQuiet(fixture);
  });

  test("does not let a sender wait for a reader that no longer wants the body", () => {
    const fixture = new TunnelFixture();
    const { request, stream, handler, answer } = fixture.open({ method: "POST" }, true);
    handler.takesMore = false;
    expect(request.write(Buffer.alloc(1024 * 1024))).toBe(false);
    fixture.link.settle();
    expect(answer.drains).toBe(0);
    stream.sendHeaders({ status: 413, headers: [] });
    stream.end();
    fixture.link.settle();
    expect(answer).toMatchObject({ drains: 0, ends: [[]] });
    stream.discard();
    fixture.link.settle();
    expect(answer).toMatchObject({ drains: 1, errors: [] });
    expectQuiet(fixture);
  });

  test("passes interim heads on before the final one", () => {
    const fixture = new TunnelFixture();
    const { stream, answer } = fixture.open({ method: "POST" }, true);
    stream.sendHeaders({ status: 100, headers: [] });
    stream.sendHeaders({ status: 103, headers: ["link", "</a>"] });
    stream.sendHeaders(ok);
    fixture.link.settle();
    expect(answer.heads.map(({ status }) => status)).toEqual([100, 103, 200]);
  });

  test("becomes bytes both ways after 101, each side closing its own", () => {
    const fixture = new TunnelFixture();
    const { head, request, stream, handler, answer } = fixture.open({ upgrade: "websocket" }, true);
    expect(head.upgrade).toBe("websocket");
    stream.sendHeaders({ status: 101, headers: ["upgrade", "websocket"] });
    request.write(Buffer.from("ping"));
    stream.write(Buffer.from("pong"));
    stream.end();
    fixture.link.settle();
    expect([handler.text, answer.text]).toEqual(["ping", "pong"]);
    expect([handler.ends.length, answer.ends.length]).toEqual([0, 1]);
    request.write(Buffer.from("!"));
    request.end();
    fixture.link.settle();
    expect(handler.text).toBe("ping!");
    expectQuiet(fixture);
  });

  test("delivers what is written at once, without waiting for more", () => {
    const fixture = new TunnelFixture();
    const { stream, answer } = fixture.open();
    stream.sendHeaders(ok);
    stream.write(Buffer.from('{"type":"ADDED"}\n'));
    fixture.link.settle();
    expect(answer.text).toBe('{"type":"ADDED"}\n');
  });

  test("keeps to the order of messages on the sending side too", () => {
    const { request, stream } = new TunnelFixture().open({}, true);
    expect(() => stream.write(Buffer.from("a"))).toThrow(
      "Out of order in the answer of a tunnel stream: DATA came in the state 'head', where expected INTERIM HEADERS or HEADERS.",
    );
    expect(() => request.sendHeaders(ok)).toThrow("Out of order in the request of a tunnel stream");
    request.end();
    expect(() => request.write(Buffer.from("a"))).toThrow("where nothing may follow");
  });
});

describe("giving up", () => {
  test("by the client reaches the agent, with its reason", () => {
    const fixture = new TunnelFixture();
    const { request, stream, handler, answer } = fixture.open();
    stream.sendHeaders(ok);
    stream.write(Buffer.from("a"));
    request.reset("cancelled", "The client went away.");
    fixture.link.settle();
    expect(handler.errors).toMatchObject([
      { code: "Cancelled", message: "The client went away.", details: { reset: "cancelled" } },
    ]);
    expect(answer).toMatchObject({ heads: [], chunks: [], ends: [], errors: [] });
    expectQuiet(fixture);
  });

  test.each([
    ["unreachable", "ConnectionFailed"],
    ["upstream", "ResponseInvalid"],
    ["timeout", "Timeout"],
    ["internal", "Internal"],
  ] as const)("by the agent because of '%s' is a %s where the answer was awaited", (reason, code) => {
    const fixture = new TunnelFixture();
    const { stream, answer } = fixture.open();
    stream.sendHeaders(ok);
    stream.write(Buffer.from("half"));
    fixture.link.settle();
    stream.reset(reason, "It broke.");
    fixture.link.settle();
    expect(answer.text).toBe("half");
    expect(answer.ends).toEqual([]);
    expect(answer.errors).toMatchObject([{ code, message: "It broke.", details: { reset: reason } }]);
    expectQuiet(fixture);
  });

  test("has no more to say than fits a frame", () => {
    const fixture = new TunnelFixture();
    const { stream, answer } = fixture.open();
    stream.reset("upstream", "é".repeat(500_000));
    fixture.link.settle();
    expect(answer.errors[0]?.message).toBe("é".repeat(1000));
    expect(fixture.link.server.state).toBe("open");
    void fixture.link.server.drain("é".repeat(500_000));
    fixture.link.settle();
    expect(fixture.link.agent.state).toBe("draining");
  });

  test("sends nothing of what was still to be sent", () => {
    const peer = new RawPeer({});
    const head = { method: "POST", path: "/", headers: [] };
    const [half, whole] = [1, 2].map(() => peer.tunnel.open(head, new RecordingHandler(), { hasBody: true }));
    peer.read();
    half?.write(Buffer.from("a"));
    half?.reset("cancelled");
    whole?.end();
    whole?.reset("cancelled");
    expect(peer.read().map(({ kind }) => kind)).toEqual(["reset", "reset"]);
  });

  test("drops what has arrived of an answer that is complete, but was not read", () => {
    const fixture = new TunnelFixture();
    const { request, stream, answer } = fixture.open();
    answer.takesMore = false;
    stream.sendHeaders(ok);
    stream.write(Buffer.from("read"));
    fixture.link.settle();
    stream.write(Buffer.from("not read"));
    stream.end();
    fixture.link.settle();
    expect([fixture.link.server.streams, fixture.link.server.heldBytes]).toEqual([0, 8]);
    request.reset("cancelled");
    expectQuiet(fixture);
    request.resume();
    expect(answer).toMatchObject({ text: "read", ends: [], errors: [] });
  });

  test("makes frames that are still under way mean nothing", () => {
    const fixture = new TunnelFixture();
    const { request, stream, handler, answer } = fixture.open({}, true);
    stream.sendHeaders(ok);
    stream.write(Buffer.from("crossing"));
    stream.end();
    request.write(Buffer.from("crossing"));
    fixture.link.runDeferred();
    request.reset("cancelled");
    stream.reset("internal");
    fixture.link.settle();
    expect([...answer.errors, ...handler.errors]).toEqual([]);
    expectQuiet(fixture);
    expect(fixture.link.server.state).toBe("open");
  });

  test("happens to a stream whose handler throws, and to no other", () => {
    const fixture = new TunnelFixture();
    const bystander = fixture.open();
    const { stream, handler, answer } = fixture.open();
    answer.data = () => {
      throw new Error("a bug");
    };
    stream.sendHeaders(ok);
    stream.write(Buffer.from("a"));
    fixture.link.settle();
    expect(answer.errors).toMatchObject([{ code: "Internal", message: "a bug" }]);
    expect(handler.errors).toMatchObject([{ code: "Internal", message: "The other side failed." }]);
    bystander.stream.sendHeaders(ok);
    bystander.stream.end();
    fixture.link.settle();
    expect(bystander.answer.ends).toHaveLength(1);
    expectQuiet(fixture);
  });
});

describe("limits", () => {
  test("of the server's side refuse before anything is sent", () => {
    const fixture = new TunnelFixture({ server: { limits: { maxStreams: 2 } } });
    fixture.open();
    fixture.open();
    expect(() => fixture.open()).toThrow(expect.objectContaining({ code: "TooManyRequests" }));
    expect(fixture.accepted).toHaveLength(2);
  });

  test("of what waits to be sent refuse new streams long before they end the tunnel", () => {
    const { link } = new TunnelFixture({ server: { limits: { maxControlBacklogBytes: 2000 } } });
    const openMany = (): void => {
      for (let count = 0; count < 500; count++) {
        link.server.open({ method: "GET", path: "/", headers: [] }, new RecordingHandler());
      }
    };
    expect(openMany).toThrow("The tunnel is congested.");
    expect(link.server.state).toBe("open");
  });

  test("of the agent's side refuse the stream, which may be tried elsewhere", () => {
    const fixture = new TunnelFixture({ agent: { limits: { maxStreams: 1 } } });
    fixture.open();
    const refused = new RecordingHandler();
    fixture.link.server.open({ method: "POST", path: "/", headers: [] }, refused, { hasBody: true });
    fixture.link.settle();
    expect(fixture.accepted).toHaveLength(1);
    expect(refused.errors).toMatchObject([{ code: "TunnelDraining", details: { reset: "refused" } }]);
  });

  test("of heads are told to whoever sends them", () => {
    const fixture = new TunnelFixture();
    const headers = ["x", "v".repeat(200_000)];
    expect(() => fixture.open({ headers })).toThrow(expect.objectContaining({ code: "HeadersTooLarge" }));
    const { stream } = fixture.open();
    expect(() => stream.sendHeaders({ status: 200, headers })).toThrow("too large");
    stream.sendHeaders(ok);
    expect(() => stream.end(headers)).toThrow("too large");
    expect(() => stream.end(["a", "b\nc"])).toThrow("HTTP does not allow");
    expect(fixture.link.server.streams).toBe(1);
    stream.end();
    fixture.link.settle();
    expectQuiet(fixture);
  });

  test("a head that is not HTTP is refused where it comes from", () => {
    const fixture = new TunnelFixture();
    expect(() => fixture.open({ headers: ["a", "b\nc"] })).toThrow("HTTP does not allow");
    expect(() => fixture.open({ path: "no-slash" })).toThrow("malformed path");
  });
});

describe("draining", () => {
  test("by the server lets streams finish and begins no new ones", async () => {
    const reasons: string[] = [];
    const fixture = new TunnelFixture({ agent: { onDraining: (reason) => reasons.push(reason) } });
    const { stream, answer } = fixture.open();
    const drained = fixture.link.server.drain("upgrade");
    expect(() => fixture.open()).toThrow(expect.objectContaining({ code: "TunnelDraining" }));
    fixture.link.settle();
    expect(reasons).toEqual(["upgrade"]);
    expect([fixture.link.server.state, fixture.link.agent.state]).toEqual(["draining", "draining"]);
    stream.sendHeaders(ok);
    stream.end();
    fixture.link.settle();
    await drained;
    expect(answer.ends).toHaveLength(1);
  });

  test("by the agent still takes the streams that are under way to it", async () => {
    const fixture = new TunnelFixture();
    const answer = new RecordingHandler();
    let drained = false;
    const draining = fixture.link.agent.drain("evicted").then(() => (drained = true));
    fixture.link.server.open({ method: "GET", path: "/", headers: [] }, answer);
    fixture.link.settle();
    expect(() => fixture.open()).toThrow("takes no new streams");
    await Promise.resolve();
    expect(drained).toBe(false);
    const [accepted] = fixture.accepted;
    accepted?.stream.sendHeaders(ok);
    accepted?.stream.end();
    fixture.link.settle();
    await draining;
    expect(answer.ends).toHaveLength(1);
  });

  test("ends when the tunnel is lost", async () => {
    const fixture = new TunnelFixture();
    fixture.open();
    const drained = fixture.link.server.drain();
    fixture.link.agentChannel.destroy();
    await expect(drained).resolves.toBeUndefined();
  });
});

describe("the end of a tunnel", () => {
  test("is told to every stream that is not complete, on both sides, once", () => {
    const closed: Array<BowlineError | undefined> = [];
    const onClosed = (error: BowlineError | undefined): void => void closed.push(error);
    const fixture = new TunnelFixture({ server: { onClosed }, agent: { onClosed } });
    const streams = [fixture.open(), fixture.open({}, true)];
    fixture.link.serverChannel.destroy(new Error("cable"));
    for (const { answer, handler } of streams) {
      expect(answer.errors).toMatchObject([{ code: "TunnelLost" }]);
      expect(handler.errors).toMatchObject([{ code: "TunnelLost" }]);
    }
    expect(closed).toMatchObject([
      { code: "TunnelLost", cause: { message: "cable" } },
      { code: "TunnelLost" },
    ]);
    expectQuiet(fixture);
    expect(fixture.link.clock.pending).toBe(0);
    expect(() => fixture.open()).toThrow(expect.objectContaining({ code: "TunnelLost" }));
  });

  test("is told to every stream, though the owner of one fails", () => {
    const fixture = new TunnelFixture();
    const [failing, other] = [fixture.open(), fixture.open()];
    failing.answer.error = () => {
      throw new Error("a bug");
    };
    fixture.link.server.close();
    expect(other.answer.errors).toMatchObject([{ code: "TunnelLost" }]);
    fixture.link.settle();
    expectQuiet(fixture);
    expect(fixture.link.clock.pending).toBe(0);
  });

  test("takes nothing from an answer that has arrived but was not read yet", () => {
    const fixture = new TunnelFixture();
    const { request, stream, answer } = fixture.open();
    answer.takesMore = false;
    stream.sendHeaders(ok);
    stream.write(Buffer.from("first "));
    fixture.link.settle();
    stream.write(Buffer.from("second"));
    stream.end();
    fixture.link.settle();
    fixture.link.server.close();
    expect(answer.text).toBe("first ");
    answer.takesMore = true;
    request.resume();
    expect(answer.text).toBe("first second");
    expect(answer.ends).toHaveLength(1);
    expect(answer.errors).toEqual([]);
    expectQuiet(fixture);
  });

  test("on purpose sends what was written, and has a time limit", async () => {
    const fixture = new TunnelFixture();
    const { stream } = fixture.open();
    stream.reset("internal", "last words");
    fixture.link.agent.close();
    expect(fixture.link.agentChannel.pendingBytes).toBeGreaterThan(0);
    expect(fixture.link.agentChannel.gone).toBe(false);
    // Nobody takes the bytes.
    await fixture.link.clock.advance(5000);
    expect(fixture.link.agentChannel.gone).toBe(true);
    expect(fixture.link.clock.pending).toBe(0);
  });

  test("of a peer that has fallen silent is noticed", async () => {
    const closed: Array<BowlineError | undefined> = [];
    const fixture = new TunnelFixture({ server: { onClosed: (error) => closed.push(error) } });
    const { answer } = fixture.open();
    await fixture.link.clock.advance(44_000);
    expect(fixture.link.server.state).toBe("open");
    await fixture.link.clock.advance(16_000);
    expect(closed).toMatchObject([{ code: "Timeout" }]);
    expect(answer.errors).toMatchObject([{ code: "TunnelLost", cause: { code: "Timeout" } }]);
    expect(fixture.link.clock.pending).toBe(0);
  });

  test("does not come while the peer is heard", async () => {
    const fixture = new TunnelFixture();
    for (let beat = 0; beat < 10; beat++) {
      fixture.link.settle();
      await fixture.link.clock.advance(15_000);
    }
    expect([fixture.link.server.state, fixture.link.agent.state]).toEqual(["open", "open"]);
  });
});

test("the round trip is measured with pings", async () => {
  const { link } = new TunnelFixture();
  expect(link.server.roundTripMs).toBeUndefined();
  link.runDeferred();
  link.serverChannel.deliver();
  link.runDeferred();
  await link.clock.advance(30);
  link.settle();
  expect(link.server.roundTripMs).toBe(30);
});
