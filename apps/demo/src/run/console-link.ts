import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { BowlineError } from "@bowline/core";

export interface ConsoleLinkOptions {
  /** Where the console is. */
  readonly consoleUrl: string;
  /** Makes what a browser signs in with, once and soon. */
  readonly createCode: () => Promise<string>;
}

/**
 * An address on this machine that opens the console signed in, however long somebody reads before they click: it makes
 * a one-time code at that moment. It is as secret as the code would be, so it cannot be guessed by what else runs here,
 * nor by a page that a browser has open.
 */
export class ConsoleLink {
  readonly url: string;
  readonly #server: Server;

  private constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async open(options: ConsoleLinkOptions): Promise<ConsoleLink> {
    const path = `/${randomBytes(16).toString("hex")}`;
    const server = createServer((request, response) => void answer(options, path, request, response));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    if (typeof address !== "object" || address === null)
      throw new BowlineError("Internal", "A server that listens has no address.");
    return new ConsoleLink(server, `http://127.0.0.1:${address.port}${path}`);
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

async function answer(
  { consoleUrl, createCode }: ConsoleLinkOptions,
  path: string,
  { method, url }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const headers = { "cache-control": "no-store", "referrer-policy": "no-referrer" };
  if (method !== "GET" || url !== path) {
    response.writeHead(404, headers).end("There is nothing here.\n");
    return;
  }
  try {
    const code = await createCode();
    response.writeHead(302, { ...headers, location: `${consoleUrl}#code=${encodeURIComponent(code)}` }).end();
  } catch (error) {
    response.writeHead(503, headers).end(`${BowlineError.from(error).message}\n`);
  }
}
