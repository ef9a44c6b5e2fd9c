import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { connect as connectTcp, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { afterEach, beforeAll, expect, it } from "vitest";
import { TestAuthority } from "@bowline/test-services/certificates";
import { sendJson, testConnection, TestServer, textOfBody } from "../testing/test-server.ts";
import { connect } from "./connect.ts";

let authority: TestAuthority;
const cleanups: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  authority = await TestAuthority.create();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** A CONNECT proxy that notes where it was asked to go. */
async function startProxy(allow: boolean): Promise<{ readonly address: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const sockets = new Set<Duplex>();
  const server: Server = createServer();
  server.on("connect", (request: IncomingMessage, client: Duplex) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"] ?? ""}`.trim());
    sockets.add(client);
    client.on("error", () => undefined);
    if (!allow) return void client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    const target: Socket = connectTcp(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      client.pipe(target).pipe(client);
    });
    sockets.add(target);
    target.on("error", () => undefined);
    return undefined;
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  cleanups.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { address: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function startApi(): Promise<TestServer> {
  const tls = await authority.issue({ commonName: "api" });
  const server = await TestServer.start((_request, response) => sendJson(response, 200, "through"), { tls });
  cleanups.push(() => server.close());
  return server;
}

it("tunnels through the proxy of the kubeconfig, with its user and password", async () => {
  const [api, proxy] = [await startApi(), await startProxy(true)];
  const transport = connect(
    testConnection(api.url, { ca: { pem: authority.cert }, proxyUrl: `http://deputy:pw@${proxy.address}` }),
    { protocol: "http2" },
  );
  cleanups.push(() => transport.close());
  const response = await transport.request({ method: "GET", path: "/version" });
  expect(await textOfBody(response)).toBe('"through"');
  expect(proxy.asked).toEqual([`127.0.0.1:${api.port} Basic ${Buffer.from("deputy:pw").toString("base64")}`]);
  expect(transport.detectsDeadPeer).toBe(false);
});

it("names the proxy, but not its password, when it refuses", async () => {
  const [api, proxy] = [await startApi(), await startProxy(false)];
  const transport = connect(
    testConnection(api.url, { ca: { pem: authority.cert }, proxyUrl: `http://deputy:pw@${proxy.address}` }),
  );
  cleanups.push(() => transport.close());
  const failure = transport.request({ method: "GET", path: "/version" });
  await expect(failure).rejects.toMatchObject({
    code: "ConnectionFailed",
    message: expect.stringContaining(`127.0.0.1:${api.port} through http://${proxy.address}`),
  });
  await expect(failure).rejects.not.toMatchObject({ message: expect.stringContaining("deputy:pw") });
});
