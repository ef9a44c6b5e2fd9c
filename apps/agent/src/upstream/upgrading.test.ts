import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";

import { describe, expect, test } from "vitest";

import { closed, startApiServer, type ScriptedApiServer } from "../testing/api-server.ts";
import { stillness } from "../testing/stillness.ts";
import { connectionTo, upstreamTo } from "../testing/upstream-fixture.ts";

const upgradeHead = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n";

/** Answers whoever asks for another protocol with `answer`; the socket is the test's from then on. */
async function startUpgrading(answer: string): Promise<ScriptedApiServer> {
  const server = await startApiServer((_, response) => void response.writeHead(403).end("not you"));
  server.server.on("upgrade", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => {});
    socket.write(answer);
  });
  return server;
}

const asking = { method: "POST", path: "/exec", upgrade: "echo" };

describe("an upgrade", () => {
  test("passes bytes both ways until each side has ended", async () => {
    const server = await startUpgrading(`${upgradeHead}early `);
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const upgrading = once(server.server, "upgrade");
    const answer = client.open(asking, true);
    // Sent before anybody agreed to anything.
    answer.stream.write(Buffer.from("one "));
    answer.stream.write(Buffer.from("two "));
    const [request, socket] = (await upgrading) as [IncomingMessage, Socket];
    expect(request.headers).toMatchObject({ connection: "Upgrade", upgrade: "echo", "content-length": "0" });
    const received: string[] = [];
    socket.on("data", (chunk) => void received.push(String(chunk)));
    expect(await answer.head).toMatchObject({
      status: 101,
      headers: ["Connection", "Upgrade", "Upgrade", "echo"],
    });
    const ended = once(socket, "end");
    answer.stream.write(Buffer.from("three"));
    answer.stream.end();
    await ended;
    expect(received.join("")).toBe("one two three");
    // The other direction goes on.
    socket.end("late");
    await answer.ended;
    expect(answer.text).toBe("early late");
    await expect.poll(() => [upstream.openStreams, client.tunnel.streams]).toEqual([0, 0]);
    await closed(socket);
  });

  test("that is refused is answered as any request, and what the client sent is dropped", async () => {
    const server = await startApiServer(() => {});
    server.server.removeAllListeners("upgrade");
    server.server.on("request", (_, response) => void response.writeHead(403).end("not you"));
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const answer = client.open(asking, true);
    answer.stream.write(Buffer.from("bytes of a protocol"));
    await answer.ended;
    expect([await answer.status, answer.text]).toEqual([403, "not you"]);
    expect(upstream.openStreams).toBe(0);
    expect(client.tunnel.streams).toBe(0);
  });

  test("ends with an error when the cluster's side breaks", async () => {
    const server = await startUpgrading(upgradeHead);
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const upgrading = once(server.server, "upgrade");
    const answer = client.open(asking, true);
    const [, socket] = (await upgrading) as [IncomingMessage, Socket];
    await answer.head;
    socket.resetAndDestroy();
    await expect(answer.ended).rejects.toMatchObject({ details: { reset: "upstream" } });
    expect(upstream.openStreams).toBe(0);
  });

  test("ends with the tunnel", async () => {
    const server = await startUpgrading(upgradeHead);
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const upgrading = once(server.server, "upgrade");
    const answer = client.open(asking, true);
    const [, socket] = (await upgrading) as [IncomingMessage, Socket];
    await answer.head;
    client.tunnel.close();
    await once(socket.resume(), "end");
    expect(upstream.openStreams).toBe(0);
  });

  test("holds back a client whose bytes nobody takes", async () => {
    const server = await startUpgrading(upgradeHead);
    const { client, upstream } = upstreamTo(connectionTo(server.url));
    const upgrading = once(server.server, "upgrade");
    const answer = client.open(asking, true);
    const [, socket] = (await upgrading) as [IncomingMessage, Socket];
    socket.pause();
    await answer.head;
    const size = 16 * 1024 * 1024;
    for (let sent = 0; sent < size; sent += 65_536) answer.stream.write(Buffer.alloc(65_536));
    await stillness(() => upstream.counts.requestBytes);
    expect(upstream.counts.requestBytes).toBeLessThan(size);
    let received = 0;
    socket.on("data", (chunk: Buffer) => (received += chunk.length));
    answer.stream.end();
    await once(socket.resume(), "end");
    expect(received).toBe(size);
    socket.end();
    await answer.ended;
  });
});
