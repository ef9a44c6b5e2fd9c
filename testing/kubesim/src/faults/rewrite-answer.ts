import type { ServerResponse } from "node:http";
import { StringDecoder } from "node:string_decoder";

import { isRecord } from "@bowline/core";
import type { WebSocket } from "ws";

/** Makes another line of one: a JSON document, an event of a watch, a line of a log. */
export type RewriteLine = (line: string) => string;

/** Whatever is written to the answer from now on goes through a function, line by line. */
export function rewriteAnswer(response: ServerResponse, rewrite: RewriteLine): void {
  const decoder = new StringDecoder("utf8");
  let rest = "";
  const rewritten = (chunk: unknown, isLast: boolean): string => {
    const text = typeof chunk === "string" ? chunk : Buffer.isBuffer(chunk) ? decoder.write(chunk) : "";
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    const last = isLast && rest !== "" ? rewrite(rest) : "";
    return lines.map((line) => `${line === "" ? "" : rewrite(line)}\n`).join("") + last;
  };
  replace(response, "writeHead", (writeHead) => (code, headers) => {
    // The length is another one.
    const others = Object.entries(isRecord(headers) ? headers : {}).filter(
      ([name]) => name.toLowerCase() !== "content-length",
    );
    return writeHead(code, Object.fromEntries(others));
  });
  replace(response, "write", (write) => (chunk) => write(rewritten(chunk, false)));
  replace(response, "end", (end) => (chunk) => end(rewritten(chunk, true)));
}

/** The same for a socket whose messages are whole lines of text. */
export function rewriteSocket(socket: WebSocket, rewrite: RewriteLine): void {
  replace(socket, "send", (send) => (data) => {
    const isText = typeof data === "string";
    if (!isText && !Buffer.isBuffer(data)) return send(data);
    const lines = data.toString().split("\n");
    const text = lines.map((line) => (line === "" ? "" : rewrite(line))).join("\n");
    return send(isText ? text : Buffer.from(text));
  });
}

type Method = (...args: readonly unknown[]) => unknown;

/** Puts another method in the place of one, which it is given. */
function replace(of: object, name: string, make: (before: Method) => Method): void {
  const before: unknown = Reflect.get(of, name);
  if (typeof before !== "function") throw new TypeError(`it has no method ${name}`);
  Object.defineProperty(of, name, { value: make((...args) => Reflect.apply(before, of, args)) });
}
