import { once } from "node:events";
import { createSecureServer, createServer as createHttp2Server, type Http2SecureServer } from "node:http2";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { text } from "node:stream/consumers";
import type { ConnectionOptions } from "node:tls";

import { afterEach, describe, expect, test } from "vitest";

import { openHttp2Session } from "./http2-session.ts";

/** TLS with a key that both sides know spares the test a certificate. */
const psk = Buffer.from("0123456789abcdef");
const ciphers = "PSK-AES128-GCM-SHA256";
const tls: ConnectionOptions = {
  ciphers,
  maxVersion: "TLSv1.2",
  pskCallback: () => ({ psk, identity: "agent" }),
  checkServerIdentity: () => undefined,
};

const servers: Server[] = [];
const signal = (): AbortSignal => AbortSignal.timeout(10_000);

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

function secureServer(): Http2SecureServer {
  const server = createSecureServer({ ciphers, maxVersion: "TLSv1.2", pskCallback: () => psk });
  server.on("stream", (stream, headers) => {
    stream.respond({ ":status": 200 });
    stream.end(`you asked for ${headers[":path"]}`);
  });
  return server;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    const closed = once(server, "close");
    server.close();
    await closed;
  }
});

describe("openHttp2Session", () => {
  test("speaks HTTP/2 over TLS on the socket it is given", async () => {
    const port = await listen(secureServer());
    const socket = connect(port, "127.0.0.1");
    const authority = `https://localhost:${port}`;
    const session = await openHttp2Session({ authority, socket, tls, signal: signal() });
    expect(await text(session.request({ ":path": "/x" }))).toBe("you asked for /x");
    const closed = once(socket, "close");
    session.close();
    await closed;
  });

  test("ends with its socket", async () => {
    const port = await listen(secureServer());
    const socket = connect(port, "127.0.0.1");
    const session = await openHttp2Session({
      authority: `https://localhost:${port}`,
      socket,
      tls,
      signal: signal(),
    });
    const closed = once(session, "close");
    socket.destroy();
    await closed;
    expect(session.destroyed).toBe(true);
  });

  test("fails when the server does not let it in, and closes the socket", async () => {
    const port = await listen(secureServer());
    const socket = connect(port, "127.0.0.1");
    const wrongKey = { ...tls, pskCallback: () => ({ psk: Buffer.from("wrong"), identity: "agent" }) };
    const authority = `https://localhost:${port}`;
    await expect(openHttp2Session({ authority, socket, tls: wrongKey, signal: signal() })).rejects.toThrow(
      /SSL|alert/,
    );
    expect(socket.destroyed).toBe(true);
  });

  test("fails when the server is gone", async () => {
    const socket = connect(await listen(createServer((accepted) => accepted.destroy())), "127.0.0.1");
    const options = { authority: "https://localhost", socket, tls, signal: signal() };
    await expect(openHttp2Session(options)).rejects.toThrow(/socket|ECONNRESET|closed/i);
  });

  test("gives up on a server that says nothing", async () => {
    const controller = new AbortController();
    const server = createServer((accepted) => {
      accepted.on("error", () => {});
      accepted.once("data", () => controller.abort(new Error("too slow")));
    });
    const socket = connect(await listen(server), "127.0.0.1");
    const options = { authority: "https://localhost", socket, tls, signal: controller.signal };
    await expect(openHttp2Session(options)).rejects.toThrow("too slow");
    expect(socket.destroyed).toBe(true);
  });

  test("does without TLS in tests", async () => {
    const server = createHttp2Server();
    server.on("stream", (stream) => {
      stream.respond({ ":status": 200 });
      stream.end("plain");
    });
    const port = await listen(server);
    const socket = connect(port, "127.0.0.1");
    const session = await openHttp2Session({
      authority: `http://localhost:${port}`,
      socket,
      signal: signal(),
    });
    expect(await text(session.request({ ":path": "/" }))).toBe("plain");
    session.close();
  });
});
