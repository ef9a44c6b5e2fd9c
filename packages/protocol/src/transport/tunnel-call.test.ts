import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type ClientHttp2Session, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { connect, type AddressInfo } from "node:net";

import { BowlineError, systemClock } from "@bowline/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { RecordingHandler } from "../testing/recording-handler.ts";
import { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import type { AcceptStream, TunnelLimits } from "../tunnel/tunnel-options.ts";
import type { StreamHandler, TunnelStream } from "../tunnel/tunnel-stream.ts";
import { openHttp2Session, tunnelHttp2Options, widenSessionWindow } from "./http2-session.ts";
import { answerTunnel, callTunnel, refuseTunnel, tunnelPath } from "./tunnel-call.ts";

let server: Http2Server;
let session: ClientHttp2Session;
let onCall: (stream: ServerHttp2Stream, path: string | undefined) => void;

beforeEach(async () => {
  server = createServer(tunnelHttp2Options);
  server.on("session", (accepted) => widenSessionWindow(accepted));
  server.on("stream", (stream, headers) => onCall(stream, headers[":path"]));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  session = await openHttp2Session({
    authority: `http://127.0.0.1:${port}`,
    socket: connect(port, "127.0.0.1"),
    signal: signal(),
  });
});

afterEach(async () => {
  session.destroy();
  const closed = once(server, "close");
  server.close();
  await closed;
});

const signal = (): AbortSignal => AbortSignal.timeout(10_000);

interface Pair {
  readonly tunnel: TunnelConnection;
  readonly agent: TunnelConnection;
  /** Resolve when that side is closed, to the error it was closed with. */
  readonly tunnelClosed: Promise<BowlineError | undefined>;
  readonly agentClosed: Promise<BowlineError | undefined>;
}

async function establish(accept: AcceptStream, limits: Partial<TunnelLimits> = {}): Promise<Pair> {
  const called = Promise.withResolvers<TunnelConnection>();
  const tunnelClosed = Promise.withResolvers<BowlineError | undefined>();
  const agentClosed = Promise.withResolvers<BowlineError | undefined>();
  onCall = (stream) => {
    const channel = answerTunnel(stream);
    const options = { clock: systemClock, limits, onClosed: tunnelClosed.resolve };
    called.resolve(new TunnelConnection(channel, options));
  };
  const channel = await callTunnel(session, { signal: signal() });
  const agent = new TunnelConnection(channel, {
    clock: systemClock,
    limits,
    accept,
    onClosed: agentClosed.resolve,
  });
  return {
    tunnel: await called.promise,
    agent,
    tunnelClosed: tunnelClosed.promise,
    agentClosed: agentClosed.promise,
  };
}

const bodyBytes = 20_000_000;

/** Sends so much that the network cannot take it all at once; the returned function goes on where it had to wait. */
function sendBody(stream: TunnelStream): () => void {
  let sent = 0;
  const goOn = (): void => {
    while (sent < bodyBytes) {
      const chunk = Buffer.alloc(50_000, String(sent));
      sent += chunk.length;
      if (!stream.write(chunk)) return;
    }
    stream.end();
  };
  goOn();
  return goOn;
}

class BodyReader {
  readonly #hash = createHash("sha256");
  readonly #ended = Promise.withResolvers<string>();
  readonly ended = this.#ended.promise;

  handler(drain: () => void): StreamHandler {
    return {
      data: (chunk) => {
        this.#hash.update(chunk);
        return true;
      },
      end: () => this.#ended.resolve(this.#hash.digest("hex")),
      drain,
      error: this.#ended.reject,
    };
  }
}

describe("a tunnel over HTTP/2", () => {
  // With more in both directions than the network holds, two plain sessions of Node wait for each other for ever.
  test("carries much both ways at once", async () => {
    const up = new BodyReader();
    const down = new BodyReader();
    const limits = { inFlightBytes: bodyBytes, sendBufferBytes: bodyBytes };
    const { tunnel, agent, tunnelClosed, agentClosed } = await establish((stream) => {
      stream.sendHeaders({ status: 200, headers: [] });
      return up.handler(sendBody(stream));
    }, limits);
    let goOn = (): void => {};
    const stream = tunnel.open(
      { method: "POST", path: "/", headers: [] },
      down.handler(() => goOn()),
      { hasBody: true },
    );
    goOn = sendBody(stream);
    const [sent, received] = await Promise.all([up.ended, down.ended]);
    expect(sent).toBe(received);
    expect([tunnel.streams, agent.streams]).toEqual([0, 0]);
    agent.close();
    expect(await agentClosed).toBeUndefined();
    expect(await tunnelClosed).toMatchObject({ code: "TunnelLost" });
  });

  test("ends with every stream when the session is lost", async () => {
    const { tunnel, tunnelClosed, agentClosed } = await establish(() => new RecordingHandler());
    const handler = new RecordingHandler();
    tunnel.open({ method: "POST", path: "/", headers: [] }, handler, { hasBody: true });
    session.destroy();
    expect(await tunnelClosed).toMatchObject({ code: "TunnelLost" });
    expect(await agentClosed).toMatchObject({ code: "TunnelLost" });
    expect(handler.errors).toMatchObject([{ code: "TunnelLost" }]);
  });

  test("ends the call with the status of gRPC when the server closes it", async () => {
    onCall = (stream) => {
      new TunnelConnection(answerTunnel(stream), { clock: systemClock }).close();
    };
    const stream = session.request({ ":method": "POST", ":path": tunnelPath });
    stream.resume();
    const [trailers] = await once(stream, "trailers");
    expect(trailers).toMatchObject({ "grpc-status": "0" });
  });
});

describe("calling the tunnel", () => {
  test("goes to the method of the service, with what the caller adds", async () => {
    const seen = Promise.withResolvers<unknown>();
    server.prependListener("stream", (_, headers) => seen.resolve({ ...headers }));
    onCall = (stream) => answerTunnel(stream).end();
    const channel = await callTunnel(session, { signal: signal(), headers: { authorization: "Bearer x" } });
    channel.destroy();
    expect(tunnelPath).toBe("/bowline.agent.v1.TunnelService/Connect");
    expect(await seen.promise).toMatchObject({
      ":method": "POST",
      ":path": tunnelPath,
      "content-type": "application/grpc+proto",
      te: "trailers",
      authorization: "Bearer x",
    });
  });

  test("throws what the server refuses it with", async () => {
    onCall = (stream) =>
      refuseTunnel(stream, new BowlineError("Forbidden", "Revoked: “edge-1” – see the audit."));
    await expect(callTunnel(session, { signal: signal() })).rejects.toMatchObject({
      code: "Forbidden",
      message: "Revoked: “edge-1” – see the audit.",
      details: { grpcStatus: "7" },
    });
  });

  test("says when something else answers", async () => {
    onCall = (stream) => stream.respond({ ":status": 404, "content-type": "text/html" }, { endStream: true });
    await expect(callTunnel(session, { signal: signal() })).rejects.toThrow(
      "it answered with the status 404",
    );
  });

  test("gives up when it is told to, and leaves no stream behind", async () => {
    const called = Promise.withResolvers<ServerHttp2Stream>();
    onCall = (stream) => called.resolve(stream);
    const controller = new AbortController();
    const call = callTunnel(session, { signal: controller.signal });
    const stream = await called.promise;
    stream.on("error", () => {});
    controller.abort(new Error("too slow"));
    await expect(call).rejects.toThrow("too slow");
    await once(stream, "close");
  });

  test.each<[string, (stream: ServerHttp2Stream) => void]>([
    ["the session is lost", () => session.destroy()],
    ["the server drops the call", (stream) => stream.close()],
  ])("fails when %s while it waits", async (_, drop) => {
    onCall = drop;
    await expect(callTunnel(session, { signal: signal() })).rejects.toMatchObject({ code: "TunnelLost" });
  });
});
