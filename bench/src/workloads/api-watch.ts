import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { request } from "node:https";

import type { ServerTarget } from "../tunnel/product-server.ts";
import { loopback } from "../tunnel/target.ts";

/** A line of a watch. */
export interface WatchedChange<T> {
  readonly type: string;
  readonly object?: T;
}

const eventEnd = "\n\n";
const dataSign = "data: ";

/** A watch of the REST API, as a client has it. */
export class ApiWatch<T> implements Disposable {
  readonly #answer: IncomingMessage;
  readonly #onChange: (change: WatchedChange<T>) => void;
  readonly #live = Promise.withResolvers<void>();
  #rest = "";

  /** Resolves when the server says that it is up to date. Called for every change from then on, and those before. */
  static async open<T>(
    { host = loopback, port, ca, token }: ServerTarget,
    path: string,
    onChange: (change: WatchedChange<T>) => void,
  ): Promise<ApiWatch<T>> {
    const headers = { authorization: `Bearer ${token}` };
    const sent = request({ host, port, ca, path, agent: false, headers }).end();
    const [answer] = (await once(sent, "response")) as [IncomingMessage];
    if (answer.statusCode !== 200) throw new Error(`${String(answer.statusCode)} for ${path}`);
    const watch = new ApiWatch(answer, onChange);
    await watch.#live.promise;
    return watch;
  }

  private constructor(answer: IncomingMessage, onChange: (change: WatchedChange<T>) => void) {
    this.#answer = answer;
    this.#onChange = onChange;
    answer.setEncoding("utf8").on("data", (text: string) => this.#read(text));
    answer.on("error", (error) => this.#live.reject(error));
    answer.on("close", () => this.#live.reject(new Error("The server ended the watch")));
  }

  [Symbol.dispose](): void {
    this.#answer.destroy();
  }

  #read(text: string): void {
    const parts = (this.#rest + text).split(eventEnd);
    this.#rest = parts.pop() ?? "";
    for (const line of parts.flatMap((part) => part.split("\n"))) {
      if (!line.startsWith(dataSign)) continue;
      const change: WatchedChange<T> = JSON.parse(line.slice(dataSign.length));
      if (change.type === "BOOKMARK") this.#live.resolve();
      else this.#onChange(change);
    }
  }
}
