import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import { connect, type AddressInfo, type Socket } from "node:net";
import type { Duplex } from "node:stream";

import { BowlineError, systemClock } from "@bowline/core";
import { describe, expect, onTestFinished, test } from "vitest";

import { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import { acceptSocketTunnel, dialSocketTunnel, refuseSocketTunnel } from "./socket-tunnel.ts";
import { tunnelPath } from "./tunnel-call.ts";

const { signal } = new AbortController();

type Answer = (socket: Duplex, early: Buffer, headers: IncomingHttpHeaders) => void;

async function startServer(server: Server): Promise<Socket> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, "connect");
  return socket;
}

/** A connection to somebody who answers what asks for a tunnel. */
function connectTo(answer: Answer): Promise<Socket> {
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on("upgrade", ({ headers }, socket: Duplex, early: Buffer) => {
    socket.on("error", () => {});
    answer(socket, early, headers);
  });
  return startServer(server);
}

describe("a tunnel on a connection of its own", () => {
  test("carries streams once the server has agreed", async () => {
    const asked = Promise.withResolvers<IncomingHttpHeaders>();
    const opened = Promise.withResolvers<TunnelConnection>();
    const socket = await connectTo((taken, early, headers) => {
      asked.resolve(headers);
      const channel = acceptSocketTunnel(taken, early);
      opened.resolve(new TunnelConnection(channel, { clock: systemClock }));
    });
    const headers = { authorization: "Bearer signed" };
    const agent = new TunnelConnection(await dialSocketTunnel(socket, { headers, signal }), {
      clock: systemClock,
      accept: (stream, { path }) => {
        stream.sendHeaders({ status: 200, headers: [] });
        stream.write(Buffer.from(path.repeat(100_000)));
        stream.end();
        return { data: () => true, end: () => {}, error: () => {} };
      },
    });
    expect(await asked.promise).toMatchObject({ ...headers, upgrade: "bowline-tunnel/1" });
    const server = await opened.promise;
    const received = Promise.withResolvers<number>();
    let bytes = 0;
    server.open(
      { method: "GET", path: "/path", headers: [] },
      {
        data: (chunk) => (bytes += chunk.length) > 0,
        end: () => received.resolve(bytes),
        error: received.reject,
      },
    );
    expect(await received.promise).toBe(500_000);
    server.close();
    agent.close();
    if (!socket.closed) await once(socket, "close");
  });

  test("bytes that come right behind the question or the agreement are not lost", async () => {
    const heard = Promise.withResolvers<string>();
    const socket = await connectTo((taken, early) => {
      taken.cork();
      const channel = acceptSocketTunnel(taken, early);
      channel.start({ data: () => {}, closed: () => {} });
      channel.write([Buffer.from("first")], () => {});
      taken.uncork();
    });
    const channel = await dialSocketTunnel(socket, { signal });
    channel.start({ data: (chunk) => heard.resolve(String(chunk)), closed: () => {} });
    expect(await heard.promise).toBe("first");

    const early = Promise.withResolvers<string>();
    const eager = await connectTo((taken, head) => {
      acceptSocketTunnel(taken, head).start({
        data: (chunk) => early.resolve(String(chunk)),
        closed: () => {},
      });
    });
    eager.write(
      `GET ${tunnelPath} HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: bowline-tunnel/1\r\n\r\nhello`,
    );
    expect(await early.promise).toBe("hello");
  });

  test("is refused with the code and the words of the server", async () => {
    const refusal = new BowlineError("Conflict", "Open a session first: ä.");
    const socket = await connectTo((taken) => refuseSocketTunnel(taken, refusal));
    await expect(dialSocketTunnel(socket, { signal })).rejects.toMatchObject({
      code: "Conflict",
      message: refusal.message,
    });
    expect(socket.destroyed).toBe(true);
  });

  test.each<[string, Answer, string]>([
    ["changes to another protocol", (taken) => taken.end(switchingTo("websocket")), "ServerError"],
    ["answers something else", (taken) => taken.end("HTTP/1.1 502 Bad\r\n\r\n"), "ServerError"],
    ["says something that is not HTTP", (taken) => taken.end("what?\r\n\r\n"), "TunnelLost"],
    ["hangs up", (taken) => taken.destroy(), "TunnelLost"],
  ])("is refused when whoever answers %s", async (_, answer, code) => {
    const socket = await connectTo(answer);
    await expect(dialSocketTunnel(socket, { signal })).rejects.toMatchObject({ code });
    expect(socket.destroyed).toBe(true);
  });

  test("whoever does not want to wait any longer gives up", async () => {
    const asked = Promise.withResolvers<Duplex>();
    const socket = await connectTo((taken) => asked.resolve(taken));
    const stop = new AbortController();
    const dialling = dialSocketTunnel(socket, { signal: stop.signal });
    dialling.catch(() => {});
    const taken = await asked.promise;
    stop.abort(new Error("Enough"));
    await expect(dialling).rejects.toThrow("Enough");
    if (!taken.resume().readableEnded) await Promise.race([once(taken, "end"), once(taken, "close")]);
  });
});

function switchingTo(protocol: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${protocol}\r\n\r\n`;
}
