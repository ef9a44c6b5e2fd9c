import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, type AddressInfo, type Server, type Socket } from "node:net";

import { systemClock } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";
import { startKubesim, type Kubesim } from "@bowline/kubesim";
import { describe, expect, onTestFinished, test } from "vitest";

import { ServerDialer } from "./server-dialer.ts";

const { signal } = new AbortController();
const dialer = new ServerDialer({ clock: systemClock, environment: {} });

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Somebody who speaks TLS, with a CA of its own; not a Bowline server. */
async function startTlsServer(): Promise<Kubesim> {
  const cluster = await startKubesim({ controllers: false });
  onTestFinished(() => cluster.stop());
  return cluster;
}

/** A proxy that asks for a password. */
async function startProxy(): Promise<{ readonly port: number; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createHttpServer().on("connect", (request, client: Socket) => {
    asked.push(`${request.url} ${request.headers["proxy-authorization"]}`);
    if (request.headers["proxy-authorization"] === undefined) {
      client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    // The network behind the proxy knows names that are not known here.
    const upstream = connect(Number(new URL(`http://${request.url}`).port), "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connected\r\n\r\n");
      client.pipe(upstream).pipe(client);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on("error", () => {}).once("close", () => other.destroy());
    }
  });
  return { port: await listening(server), asked };
}

describe("dialling a server", () => {
  test.each([
    [
      "nobody listens",
      "https://127.0.0.1:1",
      "ConnectionFailed",
      "Nothing accepts connections at 127.0.0.1:1",
    ],
    ["there is no such name", "https://no.such.invalid", "ConnectionFailed", "cannot be resolved"],
    ["it would be without TLS", "http://127.0.0.1:1", "InvalidArgument", "by https:// only"],
  ])("fails with a sentence when %s", async (_, server, code, message) => {
    const dialling = async () => dialer.dial({ server, caPem: undefined, signal });
    await expect(dialling()).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test("fails when whoever answers is no Bowline server", async () => {
    const { url, caCert } = await startTlsServer();
    await expect(dialer.dial({ server: url, caPem: caCert, signal })).rejects.toMatchObject({
      code: "NotBowline",
      message: expect.stringContaining(
        "does not speak the protocol of agents (tlsv1 alert no application protocol)",
      ),
    });
  });

  test("for a tunnel fails in the same words", async () => {
    const { url, caCert } = await startTlsServer();
    const target = { server: url, caPem: caCert, signal };
    await expect(dialer.dialTunnel(target, {})).rejects.toMatchObject({ code: "NotBowline" });
    const stopped = { ...target, signal: AbortSignal.abort(new Error("Enough")) };
    await expect(dialer.dialTunnel(stopped, {})).rejects.toThrow("Enough");
  });

  test("gives up on somebody who says nothing, when its time is over or it is told to", async () => {
    const clock = new ManualClock();
    const sockets = new Set<Socket>();
    const silent = createServer((socket) => void sockets.add(socket.on("error", () => {})));
    const server = `https://127.0.0.1:${await listening(silent)}`;
    const patient = new ServerDialer({ clock, environment: {} });
    const waiting = patient.dial({ server, caPem: undefined, signal });
    waiting.catch(() => {});
    await once(silent, "connection");
    await clock.advance(15_000);
    await expect(waiting).rejects.toThrow("does not answer within 15 s");
    const stop = new AbortController();
    const stopped = patient.dial({ server, caPem: undefined, signal: stop.signal });
    stopped.catch(() => {});
    await once(silent, "connection");
    stop.abort(new Error("Enough"));
    await expect(stopped).rejects.toThrow("Enough");
    for (const socket of sockets) if (!socket.resume().readableEnded) await once(socket, "end");
    expect(clock.pending).toBe(0);
  });
});

describe("through a proxy", () => {
  test("a server is reached with the user and password in its address", async () => {
    const { url, caCert } = await startTlsServer();
    const { port, asked } = await startProxy();
    const environment = { HTTPS_PROXY: `http://us%40er:pass@127.0.0.1:${port}` };
    const through = new ServerDialer({ clock: systemClock, environment });
    // Only who has spoken TLS with the simulated cluster can say that it is no Bowline server.
    const server = `https://kubernetes.default:${new URL(url).port}`;
    await expect(through.dial({ server, caPem: caCert, signal })).rejects.toMatchObject({
      code: "NotBowline",
    });
    const credentials = Buffer.from("us@er:pass").toString("base64");
    expect(asked).toEqual([`${new URL(server).host} Basic ${credentials}`]);
  });

  test("what the proxy refuses is told", async () => {
    const { port } = await startProxy();
    const through = (proxy: string) =>
      new ServerDialer({ clock: systemClock, environment: { HTTPS_PROXY: proxy } }).dial({
        server: "https://bowline.example.com",
        caPem: undefined,
        signal,
      });
    await expect(through(`http://127.0.0.1:${port}`)).rejects.toMatchObject({
      message: expect.stringContaining("with the status 407; check HTTPS_PROXY and NO_PROXY, and the user"),
    });
    await expect(through("http://127.0.0.1:1")).rejects.toMatchObject({
      message: expect.stringContaining("The proxy 127.0.0.1:1 cannot be used"),
    });
  });
});
