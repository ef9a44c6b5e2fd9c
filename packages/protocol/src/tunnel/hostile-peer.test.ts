import { describe, expect, test } from "vitest";

import { grpcMessage } from "../testing/frame-samples.ts";
import { RecordingHandler } from "../testing/recording-handler.ts";
import { RawPeer } from "../testing/recording-sink.ts";
import { bodyTag, initialWindowBytes } from "./frame.ts";
import type { TunnelLimits } from "./tunnel-options.ts";
import type { TunnelStream } from "./tunnel-stream.ts";

const request = { method: "POST", path: "/", headers: [] };
const open = { case: "open", value: { method: "GET", path: "/" } } as const;
const headers = { case: "headers", value: { status: 200 } } as const;
const interim = { case: "headers", value: { status: 102 } } as const;
const largeInterim = {
  case: "headers" as const,
  value: { status: 103, headers: ["Link", "x".repeat(80_000)] },
};
const data = { case: "data", value: Buffer.from("x") } as const;
const end = { case: "end", value: {} } as const;

/** A server with two streams, 1 and 2, whose agent is hostile on stream 1 and well-behaved on stream 2. */
class Server {
  readonly peer: RawPeer;
  readonly victim = new RecordingHandler();
  readonly bystander = new RecordingHandler();
  readonly stream: TunnelStream;

  constructor(limits: Partial<TunnelLimits> = {}) {
    this.peer = new RawPeer({ limits });
    this.stream = this.peer.tunnel.open(request, this.victim, { hasBody: true });
    this.peer.tunnel.open(request, this.bystander, { hasBody: true });
    this.peer.read();
  }

  /** The rest when stream 2 goes on as if nothing had happened. */
  outcome(): unknown {
    const frames = this.peer.read();
    this.peer.send({ stream: 2, body: headers }, { stream: 2, body: data }, { stream: 2, body: end });
    const { state, streams, heldBytes } = this.peer.tunnel;
    return { errors: this.victim.errors, frames, bystander: this.bystander, state, streams, heldBytes };
  }
}

/** Only stream 1 has ended, with the same error on both sides. */
const onlyVictimEnds = (message: string): object => ({
  errors: [{ code: "ProtocolViolation", message: expect.stringContaining(message) }],
  frames: [
    { kind: "reset", stream: 1, body: { reason: "protocol", message: expect.stringContaining(message) } },
  ],
  bystander: { chunks: [Buffer.from("x")], ends: [[]], errors: [] },
  state: "open",
  streams: 1,
  heldBytes: 0,
});

describe("a frame out of order ends its stream and nothing else:", () => {
  test.each([
    ["DATA before HEADERS", [data], "DATA came in the state 'head'"],
    ["END before HEADERS", [end], "END came in the state 'head'"],
    ["HEADERS twice", [headers, headers], "HEADERS came in the state 'body'"],
    ["an interim head after the final one", [headers, interim], "INTERIM"],
    ["interim heads without end", Array.from({ length: 257 }, () => interim), "too many interim heads"],
    ["interim heads that are large", [largeInterim, largeInterim], "too many interim heads"],
    ["DATA after END", [headers, end, data], "DATA came in the state 'ended'"],
    ["END twice", [headers, end, end], "END came in the state 'ended'"],
    ["OPEN of a stream that is open", [open], "opened again"],
  ])("%s", (_, bodies, message) => {
    const server = new Server();
    for (const body of bodies) server.peer.send({ stream: 1, body });
    expect(server.outcome()).toMatchObject(onlyVictimEnds(message));
  });
});

describe("a frame that goes too far ends its stream and nothing else:", () => {
  test("DATA beyond the window", () => {
    const server = new Server();
    server.victim.takesMore = false;
    server.peer.send({ stream: 1, body: headers });
    const chunk = { case: "data", value: Buffer.alloc(65_536) } as const;
    for (let bytes = 0; bytes < initialWindowBytes; bytes += 65_536)
      server.peer.send({ stream: 1, body: chunk });
    expect(server.victim.errors).toEqual([]);
    server.peer.send({ stream: 1, body: data });
    expect(server.outcome()).toMatchObject(onlyVictimEnds("More DATA came than the window allows"));
  });

  test("WINDOW beyond any window", () => {
    const server = new Server();
    const window = { case: "window", value: 2 ** 31 - 1 } as const;
    server.peer.send({ stream: 1, body: window });
    expect(server.outcome()).toMatchObject(onlyVictimEnds("larger than any window"));
  });

  test("a head that is not HTTP", () => {
    const server = new Server();
    server.peer.send({
      stream: 1,
      body: { case: "headers", value: { status: 200, headers: ["a", "b\r\nc: d"] } },
    });
    expect(server.outcome()).toMatchObject(onlyVictimEnds("HTTP does not allow"));
  });

  test("a body that is not protobuf", () => {
    const server = new Server();
    server.peer.sendBytes(grpcMessage(Buffer.from([0x0d, 1, 0, 0, 0, bodyTag.headers, 2, 0x12, 0x7f])));
    expect(server.outcome()).toMatchObject(onlyVictimEnds("longer than the frame"));
  });
});

describe("streams that do not exist", () => {
  test("are reset when they never did, and the reset is not answered", () => {
    const { peer } = new Server();
    peer.send({ stream: 9, body: data }, { stream: 9, body: { case: "reset", value: { message: "no" } } });
    expect(peer.read()).toMatchObject([{ kind: "reset", stream: 9, body: { reason: "protocol" } }]);
    expect(peer.tunnel.state).toBe("open");
    // A number that a peer makes up does not take those before it away.
    expect(peer.tunnel.open(request, new RecordingHandler()).id).toBe(3);
  });

  test("cannot be opened by an agent", () => {
    const { peer } = new Server();
    peer.send({ stream: 3, body: open });
    expect(peer.read()).toMatchObject([
      { kind: "reset", stream: 3, body: { message: "Only the server opens streams." } },
    ]);
    expect(peer.tunnel.streams).toBe(2);
  });

  test("are ignored when they are over", () => {
    const { peer, stream, victim } = new Server();
    stream.reset("cancelled");
    peer.read();
    const window = { case: "window", value: 5 } as const;
    peer.send(...[headers, data, window, end].map((body) => ({ stream: 1, body })));
    expect(peer.read()).toEqual([]);
    expect(victim).toMatchObject({ heads: [], chunks: [], ends: [], errors: [] });
  });
});

test("nothing is granted to a side that has ended", () => {
  const { peer, stream, victim } = new Server();
  victim.takesMore = false;
  const chunk = { case: "data", value: Buffer.alloc(60_000) } as const;
  peer.send(...[headers, chunk, chunk, chunk, chunk, end].map((body) => ({ stream: 1, body })));
  victim.takesMore = true;
  stream.resume();
  expect(victim.ends).toHaveLength(1);
  expect(peer.read()).toEqual([]);
});

describe("what cannot be told apart ends the tunnel, with an error for each stream:", () => {
  test.each([
    ["bytes that are not gRPC", Buffer.from("HTTP/1.1 400 Bad Request\r\n\r\n")],
    ["DATA without a stream", grpcMessage(Buffer.from([bodyTag.data, 1, 0]))],
    ["a malformed DRAIN", grpcMessage(Buffer.from([bodyTag.drain, 2, 0x0a, 9]))],
    ["a giant frame", Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 0x0d])],
  ])("%s", (_, bytes) => {
    const { peer, victim, bystander } = new Server();
    peer.sendBytes(bytes);
    expect(peer.tunnel.state).toBe("closed");
    for (const handler of [victim, bystander]) {
      expect(handler.errors).toMatchObject([{ code: "TunnelLost", cause: { code: "ProtocolViolation" } }]);
    }
    expect(peer.clock.pending).toBe(0);
  });
});

test("a peer that asks and asks but never reads is given up before its answers fill the memory", () => {
  const { peer, victim } = new Server({ maxControlBacklogBytes: 10_000 });
  let sent = 0;
  while (peer.tunnel.state === "open" && sent < 10_000) peer.send({ body: { case: "ping", value: sent++ } });
  expect(sent).toBeLessThan(10_000);
  expect(victim.errors).toMatchObject([{ code: "TunnelLost" }]);
});

test("a frame that never becomes complete holds no more than its own bytes", () => {
  const { peer, bystander } = new Server();
  peer.send({
    stream: 2,
    body: { case: "headers", value: { status: 200, headers: ["x", "v".repeat(100_000)] } },
  });
  expect(bystander.heads).toHaveLength(1);
  // The beginning of another one, of which the rest never comes.
  peer.sendBytes(Buffer.from([0, 0, 1, 0x86, 0xa0, 0x0d, 1, 0, 0, 0, bodyTag.headers, 0x97, 0x8d, 0x06]));
  for (let index = 0; index < 50; index++) peer.sendBytes(Buffer.alloc(1000, 0x7f));
  expect(peer.tunnel.state).toBe("open");
  expect(peer.tunnel.heldBytes).toBe(0);
});

describe("an agent with a hostile server", () => {
  const accepted: TunnelStream[] = [];
  const agent = (maxStreams = 100): RawPeer => {
    accepted.length = 0;
    return new RawPeer({
      limits: { maxStreams },
      accept: (stream) => {
        accepted.push(stream);
        return new RecordingHandler();
      },
    });
  };

  test("refuses numbers that were used before, once each", () => {
    const peer = agent();
    peer.send({ stream: 5, body: open }, { stream: 3, body: open }, { stream: 3, body: end });
    expect(accepted.map(({ id }) => id)).toEqual([5]);
    expect(peer.read()).toMatchObject([
      { kind: "reset", stream: 3, body: { message: "A number was used again." } },
    ]);
    peer.send({ stream: 4, body: open });
    expect(peer.read()).toMatchObject([{ kind: "reset", stream: 4 }]);
    expect(accepted).toHaveLength(1);
  });

  test("refuses more streams than it takes, and ignores what follows for them", () => {
    const peer = agent(2);
    for (const stream of [1, 2, 3])
      peer.send({ stream, body: open }, { stream, body: data }, { stream, body: end });
    expect(accepted).toHaveLength(2);
    expect(peer.read()).toMatchObject([{ kind: "reset", stream: 3, body: { reason: "refused" } }]);
  });

  test("takes no stream after it has closed the tunnel, though the connection is still there", () => {
    const peer = agent();
    peer.tunnel.close();
    peer.send({ stream: 1, body: open });
    expect(accepted).toEqual([]);
  });

  test("takes no stream after DRAIN", () => {
    const peer = agent();
    peer.send({ body: { case: "drain", value: { reason: "bye" } } }, { stream: 1, body: open });
    expect(accepted).toEqual([]);
    expect(peer.read()).toMatchObject([{ kind: "reset", stream: 1, body: { reason: "protocol" } }]);
  });

  test("answers an accept that throws with a reset", () => {
    const peer = new RawPeer({
      accept: () => {
        throw new Error("no route");
      },
    });
    peer.send({ stream: 1, body: open });
    expect(peer.read()).toMatchObject([
      { kind: "reset", stream: 1, body: { reason: "internal", message: "" } },
    ]);
    expect(peer.tunnel.streams).toBe(0);
  });

  test("answers a malformed OPEN with a reset, and ignores what follows for it", () => {
    const peer = agent();
    peer.send({ stream: 1, body: { case: "open", value: { method: "GET", path: "nowhere" } } });
    peer.send({ stream: 1, body: data }, { stream: 1, body: end });
    expect(peer.read()).toMatchObject([{ kind: "reset", stream: 1, body: { reason: "protocol" } }]);
    expect(accepted).toEqual([]);
  });
});
