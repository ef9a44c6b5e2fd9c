import { once } from "node:events";
import { createServer, request, type IncomingMessage, type RequestListener, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import { duplexPair } from "node:stream";
import { buffer, text } from "node:stream/consumers";

import { systemClock } from "@bowline/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";

import { acceptForBackend, serveThroughTunnel } from "../testing/http-over-tunnel.ts";
import { duplexChannel } from "../tunnel/byte-channel.ts";
import { TunnelConnection } from "../tunnel/tunnel-connection.ts";

/** Real HTTP clients and servers on both ends of a tunnel. */
let backend: Server;
let gateway: Server;
let port: number;
let tunnel: TunnelConnection;
let agent: TunnelConnection;
let onRequest: RequestListener;

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

beforeEach(async () => {
  backend = createServer((incoming, outgoing) => onRequest(incoming, outgoing));
  gateway = createServer();
  const [near, far] = duplexPair();
  tunnel = new TunnelConnection(duplexChannel(near), { clock: systemClock });
  const accept = acceptForBackend(await listen(backend));
  agent = new TunnelConnection(duplexChannel(far), { clock: systemClock, accept });
  serveThroughTunnel(gateway, tunnel);
  port = await listen(gateway);
});

afterEach(async () => {
  tunnel.close();
  agent.close();
  for (const server of [gateway, backend]) {
    server.closeAllConnections();
    const closed = once(server, "close");
    server.close();
    await closed;
  }
});

const streams = (): number[] => [tunnel.streams, agent.streams];

async function untilNoStreams(): Promise<void> {
  while (streams().some((count) => count > 0)) await new Promise((resolve) => setImmediate(resolve));
}

async function answerTo(options: {
  method?: string;
  path?: string;
  body?: Buffer;
}): Promise<IncomingMessage> {
  const { method = "GET", path = "/", body } = options;
  const outgoing = request({ host: "127.0.0.1", port, method, path, agent: false });
  outgoing.end(body);
  const [answer] = await once(outgoing, "response");
  return answer;
}

describe("HTTP through the tunnel", () => {
  test("is what it would be without", async () => {
    onRequest = (incoming, outgoing) => {
      outgoing.writeHead(418, ["X-One", "1", "Set-Cookie", "a", "Set-Cookie", "b", "Trailer", "X-Sum"]);
      outgoing.write(`${incoming.method} ${incoming.url} `);
      incoming.pipe(outgoing, { end: false });
      incoming.on("end", () => {
        outgoing.addTrailers({ "X-Sum": "42" });
        outgoing.end();
      });
    };
    const answer = await answerTo({ method: "PUT", path: "/a/b?c=%20d", body: Buffer.from("body") });
    expect(await text(answer)).toBe("PUT /a/b?c=%20d body");
    expect(answer.statusCode).toBe(418);
    expect(answer.headersDistinct).toMatchObject({ "x-one": ["1"], "set-cookie": ["a", "b"] });
    expect(answer.trailers).toEqual({ "x-sum": "42" });
    await untilNoStreams();
  });

  test("carries large bodies both ways unharmed", async () => {
    onRequest = (incoming, outgoing) => void incoming.pipe(outgoing);
    const body = Buffer.alloc(8_000_000);
    for (let index = 0; index < body.length; index += 4) body.writeUInt32LE(index, index);
    const answer = await answerTo({ method: "POST", body });
    expect((await buffer(answer)).equals(body)).toBe(true);
  });

  test("passes each piece on at once, as a watch needs it", async () => {
    const pieces: string[] = [];
    const watch = Promise.withResolvers<(line: string) => void>();
    onRequest = (_, outgoing) => {
      outgoing.writeHead(200);
      watch.resolve((line) => outgoing.write(line));
      outgoing.write("first\n");
    };
    const answer = await answerTo({});
    for await (const piece of answer) {
      pieces.push(String(piece));
      if (pieces.length === 3) break;
      (await watch.promise)(`after ${String(piece)}`);
    }
    expect(pieces).toEqual(["first\n", "after first\n", "after after first\n"]);
    await untilNoStreams();
  });

  test("tells the backend when the client goes away in the middle", async () => {
    const gone = Promise.withResolvers<void>();
    onRequest = (_, outgoing) => {
      outgoing.write("begun");
      outgoing.on("close", () => gone.resolve());
    };
    const answer = await answerTo({});
    answer.destroy();
    await expect(gone.promise).resolves.toBeUndefined();
    await untilNoStreams();
  });

  test("tells the client when the backend goes away in the middle", async () => {
    onRequest = (_, outgoing) => {
      outgoing.writeHead(200, { "content-length": "100" });
      outgoing.write("begun");
      setImmediate(() => outgoing.destroy());
    };
    await expect(text(await answerTo({}))).rejects.toMatchObject({ code: "ECONNRESET" });
    await untilNoStreams();
  });

  test("answers before a large request is sent, and stops sending it", async () => {
    onRequest = (_, outgoing) => {
      outgoing.writeHead(413, { connection: "close" });
      outgoing.end("too large");
    };
    const outgoing = request({ host: "127.0.0.1", port, method: "POST", agent: false });
    outgoing.on("error", () => {});
    outgoing.write(Buffer.alloc(100_000));
    const [answer]: IncomingMessage[] = await once(outgoing, "response");
    expect(answer?.statusCode).toBe(413);
    await untilNoStreams();
    outgoing.destroy();
  });

  test("ends the answers under way when the tunnel is lost", async () => {
    onRequest = (_, outgoing) => void outgoing.write("begun");
    const answer = await answerTo({});
    tunnel.close();
    await expect(text(answer)).rejects.toMatchObject({ code: "ECONNRESET" });
  });

  test("becomes raw bytes after an upgrade, each side closing its own half", async () => {
    backend.on("upgrade", (_, socket: Socket, head) => {
      socket.write("HTTP/1.1 101 Switching Protocols\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\n");
      socket.write(head);
      socket.pipe(socket);
    });
    const client = connect({ port, host: "127.0.0.1" });
    client.write("GET /exec HTTP/1.1\r\nhost: x\r\nupgrade: echo\r\nconnection: upgrade\r\n\r\nearly ");
    const [head] = await once(client, "data");
    expect(String(head)).toMatch(/^HTTP\/1.1 101 /);
    client.write(Buffer.alloc(300_000, "z"));
    client.end("late");
    const rest = String(head).split("\r\n\r\n")[1] + (await text(client));
    expect(rest).toBe(`early ${"z".repeat(300_000)}late`);
    await untilNoStreams();
  });
});
