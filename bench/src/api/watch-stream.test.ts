import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { sentAtAnnotation } from "./measurement.ts";
import { WatchStream } from "./watch-stream.ts";

/** A server whose only client is sent what the test writes. */
async function listen(): Promise<{ port: number; client: Promise<Socket> }> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const client = new Promise<Socket>((resolve) => {
    server.once("connection", (socket) => {
      onTestFinished(() => void socket.destroy());
      resolve(socket);
    });
  });
  return { port: (server.address() as AddressInfo).port, client };
}

function changed(sentAtMs: number, observedGeneration: number): string {
  const metadata = { generation: 2, annotations: { [sentAtAnnotation]: String(sentAtMs) } };
  return `id: 1\ndata: ${JSON.stringify({ type: "MODIFIED", object: { metadata, status: { observedGeneration } } })}\n\n`;
}

const head = "HTTP/1.1 200 OK\r\n\r\n";
const bookmark = 'data: {"type":"BOOKMARK"}\n\n';

/** What a stream makes of events that arrive in pieces. */
async function timesSeen(
  until: "announced" | "observed",
  events: string,
  expected: number,
): Promise<number[]> {
  const { port, client } = await listen();
  const opening = WatchStream.open(port, "GET / HTTP/1.1\r\n\r\n");
  const socket = await client;
  socket.setNoDelay(true);
  socket.write(head + bookmark);
  const stream = await opening;
  onTestFinished(() => stream.close());
  const seen: number[] = [];
  const all = Promise.withResolvers<void>();
  stream.follow(until, (sentAtMs) => {
    if (seen.push(sentAtMs) === expected) all.resolve();
  });
  for (let at = 0; at < events.length; at += 50) {
    socket.write(events.slice(at, at + 50));
    await new Promise(setImmediate);
  }
  await all.promise;
  return seen;
}

test("sees every change once, as soon as it is announced", async () => {
  const events = changed(1.5, 1) + bookmark + changed(2.25, 1) + changed(3, 2);
  expect(await timesSeen("announced", events, 3)).toEqual([1.5, 2.25, 3]);
});

test("sees a change when its controller has dealt with it", async () => {
  const events = changed(1.5, 1) + changed(2.25, 1) + bookmark + changed(1.5, 2) + changed(2.25, 2);
  expect(await timesSeen("observed", events, 2)).toEqual([1.5, 2.25]);
});

test("is refused with what the server says", async () => {
  const { port, client } = await listen();
  const opening = WatchStream.open(port, "GET / HTTP/1.1\r\n\r\n");
  (await client).write("HTTP/1.1 429 Too Many Requests\r\n\r\n");
  await expect(opening).rejects.toThrow("429 Too Many Requests");
});
