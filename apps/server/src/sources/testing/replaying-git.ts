import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { request } from "node:https";
import { buffer, text } from "node:stream/consumers";

import type { GitHttpServer } from "@bowline/test-services/git";

interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** Many repositories, each of which answers as one real server did when it was asked the same: a program per question would cost more than what is measured. */
export class ReplayingGit {
  /** How often it was asked for refs. */
  questions = 0;
  readonly #server: Server;
  readonly #real: GitHttpServer;
  readonly #caPem: string;
  readonly #answers = new Map<string, Promise<Answer>>();

  static async start(real: GitHttpServer, caPem: string): Promise<ReplayingGit> {
    const server = createServer();
    const git = new ReplayingGit(server, real, caPem);
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return git;
  }

  private constructor(server: Server, real: GitHttpServer, caPem: string) {
    this.#server = server;
    this.#real = real;
    this.#caPem = caPem;
    server.on("request", (asked: IncomingMessage, response) => void this.#answer(asked, response));
  }

  url(repository: number): string {
    const address = this.#server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    return `http://127.0.0.1:${port}/r-${repository}.git`;
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer(asked: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(asked);
    if (asked.method === "POST") this.questions += 1;
    const path = (asked.url ?? "").replace(/^\/[^/]+/u, "");
    const key = `${asked.method} ${path} ${body}`;
    const answer = this.#answers.get(key) ?? this.#ask(asked, path, body);
    this.#answers.set(key, answer);
    const { status, contentType, body: content } = await answer;
    response.writeHead(status, { "content-type": contentType }).end(content);
  }

  async #ask({ method, headers }: IncomingMessage, path: string, body: string): Promise<Answer> {
    const passed = ["git-protocol", "content-type", "accept"].flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === "string" ? [[name, value]] : [];
    });
    const sent = request(`${this.#real.url()}${path}`, {
      method,
      headers: Object.fromEntries(passed),
      ca: this.#caPem,
      agent: false,
    });
    const answered = once(sent, "response");
    sent.end(body);
    const [answer]: IncomingMessage[] = await answered;
    if (answer === undefined) throw new Error("the real server did not answer");
    const { statusCode = 0, headers: told } = answer;
    return { status: statusCode, contentType: String(told["content-type"]), body: await buffer(answer) };
  }
}
