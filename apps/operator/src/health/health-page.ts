import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { BowlineError, formatHealthReport, type Health, type Metrics } from "@bowline/core";

export interface HealthPageOptions {
  readonly host: string;
  readonly port: number;
  /** Whether the process is to be restarted, and whether it does its work. */
  readonly live: Health;
  readonly ready: Health;
  readonly metrics: Metrics;
}

/** What kubelet and Prometheus ask of an operator. */
export class HealthPage {
  readonly #options: HealthPageOptions;
  readonly #server: Server;

  constructor(options: HealthPageOptions) {
    this.#options = options;
    this.#server = createServer({ requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 8_192 });
    this.#server.maxConnections = 64;
    this.#server.on("request", (request, response) => void this.#answer(request, response));
  }

  /** Resolves to the address it listens on: `127.0.0.1:8082`. */
  async listen(): Promise<string> {
    const { host, port } = this.#options;
    this.#server.listen(port, host);
    try {
      await once(this.#server, "listening");
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new BowlineError(
        "InvalidArgument",
        `The health page cannot listen on ${host}:${port} (${reason}); choose another address with --health-listen.`,
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

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // The bodies of those who send some are of no interest.
    request.resume();
    const { live, ready, metrics } = this.#options;
    const path = request.url?.split("?", 1)[0];
    try {
      if (path === "/healthz") await reportOn(live, response);
      else if (path === "/readyz") await reportOn(ready, response);
      else if (path === "/metrics") send(response, 200, await metrics.text(), metrics.contentType);
      else send(response, 404, "There are /healthz, /readyz and /metrics.\n");
    } catch (error) {
      send(response, 500, `${BowlineError.from(error).message}\n`);
    }
  }
}

async function reportOn(health: Health, response: ServerResponse): Promise<void> {
  const report = await health.report();
  send(response, report.ok ? 200 : 503, formatHealthReport(report));
}

function send(
  response: ServerResponse,
  status: number,
  text: string,
  type = "text/plain; charset=utf-8",
): void {
  response.writeHead(status, { "content-type": type, "x-content-type-options": "nosniff" }).end(text);
}
