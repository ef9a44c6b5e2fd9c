import { Agent, request, type ClientRequest, type IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";

import type { AcceptStream, RequestHead, StreamHandler, TunnelStream } from "@bowline/protocol";

const maxHeaderSize = 128 * 1024;

/** The least that an agent does: makes the requests of the tunnel at the API server at `port`. */
export function agentSide(port: number, credential?: string): AcceptStream {
  const pool = new Agent({ keepAlive: true });
  return (stream, head, hasBody) => {
    const agent = head.upgrade === undefined ? pool : false;
    const outgoing = request({
      host: "127.0.0.1",
      port,
      maxHeaderSize,
      agent,
      ...requestOptions(head, credential),
    });
    return head.upgrade === undefined
      ? plainRequest(stream, outgoing, hasBody)
      : upgradeRequest(stream, outgoing);
  };
}

function requestOptions({ method, path, headers, upgrade }: RequestHead, credential: string | undefined) {
  return {
    method,
    path,
    headers: [
      "Host",
      "kubernetes.default",
      ...(credential === undefined ? [] : ["Authorization", `Bearer ${credential}`]),
      ...(upgrade === undefined ? [] : ["Connection", "Upgrade", "Upgrade", upgrade]),
      ...headers,
    ],
  };
}

function plainRequest(stream: TunnelStream, outgoing: ClientRequest, hasBody: boolean): StreamHandler {
  const answer = passAnswer(stream, outgoing);
  outgoing.on("drain", () => stream.resume());
  if (!hasBody) outgoing.end();
  else outgoing.flushHeaders();
  return {
    data: (chunk) => outgoing.write(chunk),
    end: (trailers) => {
      if (trailers.length > 0) outgoing.addTrailers([[trailers[0] ?? "", trailers[1] ?? ""]]);
      outgoing.end();
    },
    drain: () => answer.source?.resume(),
    error: () => outgoing.destroy(),
  };
}

function upgradeRequest(stream: TunnelStream, outgoing: ClientRequest): StreamHandler {
  const answer = passAnswer(stream, outgoing);
  let socket: Duplex | undefined;
  outgoing.on("upgrade", (head, upgraded, early) => {
    socket = upgraded;
    upgraded.allowHalfOpen = true;
    stream.sendHeaders({ status: 101, headers: head.rawHeaders });
    if (early.length > 0) stream.write(early);
    upgraded.on("drain", () => stream.resume());
    send(upgraded, stream, () => stream.end());
  });
  outgoing.end();
  return {
    data: (chunk) => socket?.write(chunk) ?? true,
    end: () => socket?.end(),
    drain: () => (socket ?? answer.source)?.resume(),
    error: () => (socket ?? outgoing).destroy(),
  };
}

function passAnswer(stream: TunnelStream, outgoing: ClientRequest): { source?: IncomingMessage } {
  const passed: { source?: IncomingMessage } = {};
  outgoing.on("information", ({ statusCode, rawHeaders }) =>
    stream.sendHeaders({ status: statusCode, headers: rawHeaders }),
  );
  outgoing.on("response", (answer) => {
    passed.source = answer;
    stream.sendHeaders({ status: answer.statusCode ?? 502, headers: answer.rawHeaders });
    send(answer, stream, () => {
      stream.discard();
      stream.end(answer.rawTrailers);
    });
  });
  outgoing.on("error", (error) => stream.reset("unreachable", error.message));
  return passed;
}

function send(source: Duplex | IncomingMessage, stream: TunnelStream, end: () => void): void {
  source.on("data", (chunk: Buffer) => {
    if (!stream.write(chunk)) source.pause();
  });
  source.on("end", end);
  source.on("error", (error) => stream.reset("upstream", error.message));
}
