import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { BowlineError, healthRequests, listenProblem, type HealthRequestsOptions } from "@bowline/core";

export interface HealthPageOptions extends HealthRequestsOptions {
  readonly host: string;
  readonly port: number;
}

/** What kubelet and Prometheus ask of an agent; nobody else should be able to reach it. */
export class HealthPage {
  readonly #options: HealthPageOptions;
  readonly #server: Server;

  constructor(options: HealthPageOptions) {
    this.#options = options;
    const limits = { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 8_192 };
    this.#server = createServer(limits, healthRequests(options));
    this.#server.maxConnections = 64;
  }

  /** Resolves to the address it listens on: `127.0.0.1:8081`. */
  async listen(): Promise<string> {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      const problem = listenProblem(error, "--health-listen or BOWLINE_HEALTH_LISTEN");
      throw new BowlineError(
        "InvalidArgument",
        `The health page cannot listen on ${host}:${port}: ${problem}.`,
        { cause: error },
      );
    }
    const bound = this.#server.address() as AddressInfo;
    return `${bound.family === "IPv6" ? `[${bound.address}]` : bound.address}:${bound.port}`;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
