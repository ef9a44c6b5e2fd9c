import { createServer, type Server } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createSocketServer, type AddressInfo, type Server as SocketServer } from "node:net";

import { issueServingCertificate, makeAuthority } from "@bowline/tls/issue";
import { expect, onTestFinished, test } from "vitest";

import { probeHost } from "./probe-host.ts";

const never = new AbortController().signal;
const target = { host: "shop.example.com", address: "127.0.0.1", path: "/shop" };

async function listening(server: Server | SocketServer): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return port;
}

test("asks by HEAD with the name of the host in SNI, and tells whether its certificate is trusted", async () => {
  const authority = await makeAuthority(Date.now());
  const names = [{ type: "dns" as const, value: "shop.example.com" }];
  const { cert, key } = await issueServingCertificate(authority, { names, nowMs: Date.now() });
  const seen: unknown[] = [];
  const server = createSecureServer({ cert, key }, (request, response) => {
    const { socket } = request;
    const servername: unknown = "servername" in socket ? socket.servername : undefined;
    seen.push([request.method, request.url, request.headers.host, servername]);
    response.end();
  });
  const port = await listening(server);
  const answer = await probeHost({ ...target, port, isSecure: true }, never);
  expect(answer).toEqual({ status: 200, distrust: expect.stringMatching(/self.signed|SELF_SIGNED/iu) });
  expect(seen).toEqual([["HEAD", "/shop", "shop.example.com", "shop.example.com"]]);
});

test("follows no redirect", async () => {
  let count = 0;
  const port = await listening(
    createServer((_, response) => {
      count += 1;
      response.writeHead(302, { location: "http://127.0.0.1:1/" }).end();
    }),
  );
  expect(await probeHost({ ...target, port, isSecure: false }, never)).toEqual({
    status: 302,
    distrust: undefined,
  });
  expect(count).toBe(1);
});

test("rejects when there is no answer, when it is none, and when its head is too large", async () => {
  const port = await listening(createSocketServer((socket) => void socket.end("SSH-2.0-x\r\n")));
  await expect(probeHost({ ...target, port, isSecure: false }, never)).rejects.toThrow(/Parse Error/u);
  const large = await listening(
    createServer((_, response) => void response.writeHead(200, { "x-large": "x".repeat(20_000) }).end()),
  );
  await expect(probeHost({ ...target, port: large, isSecure: false }, never)).rejects.toThrow(/overflow/iu);
});

test.each([
  [
    "changes the protocol",
    "ended without an answer",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
  ],
  ["says that it will answer, and does not", "socket hang up", "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(3)],
  ["ends in the middle of its head", "socket hang up", "HTTP/1.1 200 OK\r\nServer: "],
])("rejects when whoever is asked %s", async (_, why, answer) => {
  const port = await listening(createSocketServer((socket) => void socket.on("error", () => {}).end(answer)));
  await expect(probeHost({ ...target, port, isSecure: false }, never)).rejects.toThrow(why);
});
