import { once } from "node:events";
import { createServer, type AddressInfo, type Socket } from "node:net";

import { expect, onTestFinished, test } from "vitest";

import { HttpConnection } from "./http-connection.ts";

/** A server that answers by hand. */
async function listen(answer: (socket: Socket) => void): Promise<number> {
  const server = createServer({ noDelay: true }, (socket) => socket.on("data", () => answer(socket)));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

async function open(port: number): Promise<HttpConnection> {
  const connection = await HttpConnection.open(port);
  onTestFinished(() => connection.close());
  return connection;
}

test("reads answers one after the other, however they are cut", async () => {
  const text = "HTTP/1.1 201 Created\r\nContent-Length: 8\r\n\r\nfür alle";
  const bytes = Buffer.from(text.replace("8", String(Buffer.byteLength("für alle"))));
  let cut = 1;
  const port = await listen((socket) => {
    socket.write(bytes.subarray(0, cut));
    setImmediate(() => socket.write(bytes.subarray(cut)));
  });
  const connection = await open(port);
  for (cut = 1; cut < bytes.length; cut++) {
    const answer = await connection.send("GET / HTTP/1.1\r\n\r\n");
    expect([answer.status, answer.text()]).toEqual([201, "für alle"]);
  }
});

test("says that the server has closed the connection", async () => {
  const port = await listen((socket) => socket.end("HTTP/1.1 200 OK\r\n"));
  const connection = await open(port);
  await expect(connection.send("GET / HTTP/1.1\r\n\r\n")).rejects.toThrow("The server closed the connection");
});
