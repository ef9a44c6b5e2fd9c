import type { ServerResponse } from "node:http";

import type { WebSocket } from "ws";

import type { SocketUpgrade } from "./socket-upgrade.ts";

/** Where a log goes. A reader that falls too far behind is cut off, as its rest would fill the memory. */
export interface LogSink {
  write(text: string): void;
  end(): void;
  onClose(listener: () => void): void;
}

/** Beside what was there when it was asked for, however much that is. */
const mostWaitingBytes = 4 * 1024 * 1024;
/** As much as the real server copies at once. */
const pieceBytes = 32 * 1024;

/**
 * The sink a client asked for, which begins with what was there already; undefined where it cannot have it and has been
 * told so.
 */
export function logSink(
  response: ServerResponse,
  upgrade: SocketUpgrade | undefined,
  beginning: string,
): LogSink | undefined {
  const bytes = Buffer.from(beginning);
  if (upgrade === undefined) return answerSink(response, bytes);
  const socket = upgrade.accept(["", "binary.k8s.io", "base64.binary.k8s.io"]);
  return socket && socketSink(socket, socket.protocol === "base64.binary.k8s.io", bytes);
}

function answerSink(response: ServerResponse, beginning: Buffer): LogSink {
  response.writeHead(200, { "content-type": "text/plain" });
  response.flushHeaders();
  if (beginning.length > 0) response.write(beginning);
  const mostBytes = mostWaitingBytes + beginning.length;
  return {
    write: (text) => {
      response.write(text);
      if (response.writableLength > mostBytes) response.destroy();
    },
    end: () => void response.end(),
    onClose: (listener) => void response.once("close", listener),
  };
}

/** A message for each piece, in bytes or in base64 as text. The first one is empty, as the real server has it. */
function socketSink(socket: WebSocket, isBase64: boolean, beginning: Buffer): LogSink {
  // Base64 is longer by a third.
  const mostBytes = mostWaitingBytes + 2 * beginning.length;
  const write = (bytes: Buffer): void => {
    if (isBase64) socket.send(bytes.toString("base64"));
    else socket.send(bytes);
    if (socket.bufferedAmount > mostBytes) socket.terminate();
  };
  write(Buffer.alloc(0));
  for (let at = 0; at < beginning.length; at += pieceBytes) write(beginning.subarray(at, at + pieceBytes));
  return {
    write: (text) => write(Buffer.from(text)),
    end: () => socket.close(1000),
    onClose: (listener) => void socket.once("close", listener),
  };
}
