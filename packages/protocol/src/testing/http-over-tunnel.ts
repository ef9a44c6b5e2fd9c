/** The least that a gateway and an agent do with HTTP, to try the tunnel with real clients and servers. */
import { request, type IncomingMessage, type Server } from "node:http";
import type { Duplex } from "node:stream";

import type { HeaderList } from "../tunnel/http-head.ts";
import type { TunnelConnection } from "../tunnel/tunnel-connection.ts";
import type { AcceptStream } from "../tunnel/tunnel-options.ts";
import type { StreamHandler, TunnelStream } from "../tunnel/tunnel-stream.ts";

/** Sends every request to `server` through the tunnel. */
export function serveThroughTunnel(server: Server, tunnel: TunnelConnection): void {
  server.on("request", (incoming, outgoing) => {
    const hasBody =
      incoming.headers["transfer-encoding"] !== undefined || "content-length" in incoming.headers;
    const stream = tunnel.open(
      headOf(incoming),
      {
        headers: ({ status, headers }) => {
          if (status < 200) outgoing.writeProcessing();
          else outgoing.writeHead(status, [...headers]);
        },
        data: (chunk) => outgoing.write(chunk),
        end: (trailers) => {
          outgoing.addTrailers(pairsOf(trailers));
          outgoing.end();
        },
        drain: () => incoming.resume(),
        error: () => outgoing.destroy(),
      },
      { hasBody },
    );
    outgoing.on("drain", () => stream.resume());
    outgoing.on("close", () => {
      if (!outgoing.writableFinished) stream.reset("cancelled", "The client went away.");
    });
    if (hasBody) send(incoming, stream, () => stream.end(incoming.rawTrailers));
  });
  server.on("upgrade", (incoming, socket, head) => {
    const stream = tunnel.open(
      { ...headOf(incoming), upgrade: incoming.headers.upgrade },
      {
        ...bytesInto(socket),
        headers: ({ status, headers }) => socket.write(rawHead(status, headers)),
        drain: () => socket.resume(),
      },
      { hasBody: true },
    );
    joinBytes(socket, stream, head);
  });
}

/** Passes what comes through the tunnel on to the HTTP server at `port`. */
export function acceptForBackend(port: number): AcceptStream {
  return (stream, { method, path, headers, upgrade }) => {
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers: [...headers], agent: false });
    let source: Duplex | IncomingMessage | undefined;
    let upgraded: StreamHandler | undefined;
    const early: Buffer[] = [];
    outgoing.on("information", ({ statusCode, rawHeaders }) =>
      stream.sendHeaders({ status: statusCode, headers: rawHeaders }),
    );
    outgoing.on("response", (answer) => {
      source = answer;
      stream.sendHeaders({ status: answer.statusCode ?? 502, headers: answer.rawHeaders });
      send(answer, stream, () => {
        stream.discard();
        stream.end(answer.rawTrailers);
      });
    });
    outgoing.on("upgrade", (answer, socket, head) => {
      source = socket;
      upgraded = bytesInto(socket);
      stream.sendHeaders({ status: 101, headers: answer.rawHeaders });
      for (const chunk of early) socket.write(chunk);
      joinBytes(socket, stream, head);
    });
    outgoing.on("drain", () => stream.resume());
    outgoing.on("error", (error) => stream.reset("unreachable", error.message));
    if (upgrade !== undefined) outgoing.end();
    return {
      data: (chunk) => {
        if (upgrade === undefined) return outgoing.write(chunk);
        if (upgraded === undefined) early.push(chunk);
        return upgraded?.data(chunk) ?? true;
      },
      end: (trailers) => (upgraded === undefined ? outgoing.end() : upgraded.end(trailers)),
      drain: () => source?.resume(),
      error: () => {
        outgoing.destroy();
        source?.destroy();
      },
    };
  };
}

function headOf(incoming: IncomingMessage): { method: string; path: string; headers: HeaderList } {
  return { method: incoming.method ?? "GET", path: incoming.url ?? "/", headers: incoming.rawHeaders };
}

function pairsOf(list: HeaderList): Array<[string, string]> {
  return Array.from({ length: list.length / 2 }, (_, index) => [
    list[2 * index] ?? "",
    list[2 * index + 1] ?? "",
  ]);
}

function rawHead(status: number, headers: HeaderList): string {
  const lines = pairsOf(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Switching\r\n${lines.join("")}\r\n`;
}

function send(source: Duplex | IncomingMessage, stream: TunnelStream, end: () => void): void {
  source.on("data", (chunk: Buffer) => {
    if (!stream.write(chunk)) source.pause();
  });
  source.on("end", end);
  source.on("error", (error) => stream.reset("upstream", error.message));
}

function bytesInto(socket: Duplex): StreamHandler {
  return {
    data: (chunk) => socket.write(chunk),
    end: () => socket.end(),
    error: () => socket.destroy(),
  };
}

function joinBytes(socket: Duplex, stream: TunnelStream, head: Buffer): void {
  if (head.length > 0) stream.write(head);
  socket.on("drain", () => stream.resume());
  send(socket, stream, () => stream.end());
}
