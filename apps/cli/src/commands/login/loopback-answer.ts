import { createServer, type IncomingMessage, type ServerResponse } from "node:http";

import { BowlineError } from "@bowline/core";

/** Waits on this machine for the browser to bring what somebody agreed to. */
export interface LoopbackAnswer extends Disposable {
  readonly port: number;
  /** The one-time code. `Forbidden` when somebody refused. */
  readonly code: Promise<string>;
}

/**
 * Listens on a port of 127.0.0.1, for this machine only. Only a request with the state counts, which nobody knows but
 * this program and the page it opened; others are answered with 404 and change nothing.
 */
export async function awaitLoopbackAnswer(state: string): Promise<LoopbackAnswer> {
  const answered = Promise.withResolvers<string>();
  const server = createServer((request, response) => {
    const answer = answerIn(request, state);
    if (answer === undefined) {
      send(response, 404, "There is nothing here.");
      return;
    }
    if ("code" in answer) answered.resolve(answer.code);
    else answered.reject(new BowlineError("Forbidden", "It was refused in the browser; nothing was saved."));
    send(
      response,
      200,
      "code" in answer ? "You are signed in at the command line." : "Nothing was given away.",
    );
  });
  // Nobody may be waiting for it yet.
  answered.promise.catch(() => {});
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return {
    port: typeof address === "object" && address !== null ? address.port : 0,
    code: answered.promise,
    [Symbol.dispose]() {
      server.close();
      server.closeIdleConnections();
    },
  };
}

function answerIn(
  { method, url = "", headers }: IncomingMessage,
  state: string,
): { readonly code: string } | { readonly refused: true } | undefined {
  const parsed = URL.parse(url, `http://${headers.host ?? ""}`);
  // A page of others could have its own name lead to this machine.
  if (method !== "GET" || parsed?.hostname !== "127.0.0.1" || parsed.pathname !== "/") return undefined;
  if (parsed.searchParams.get("state") !== state) return undefined;
  const code = parsed.searchParams.get("code");
  return code === null || code === "" ? { refused: true } : { code };
}

/** Text of ours alone: nothing of the address is in it. */
function send(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`<!doctype html><title>Bowline</title><p>${text} You can close this window.</p>\n`);
}
