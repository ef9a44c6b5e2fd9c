import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";

import { BowlineError, listenProblem, type Address, type Metrics } from "@bowline/core";

import { formatHealthReport, type Health } from "./health.ts";

/** An answer of a health page, whoever listens: a `HealthListener`, or the routes of a server. */
export interface HealthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/**
 * A probe, as Kubernetes has its own: `ok`, or 503 and the reasons as lines of text. A verbose one has a line for every
 * check. `name` is that of the path: `livez`, `healthz` or `readyz`. Without checks, the answer is enough.
 */
export async function probeAnswer(
  name: string,
  health: Health | undefined,
  isVerbose: boolean,
): Promise<HealthAnswer> {
  const report = (await health?.report()) ?? { ok: true, checks: [] };
  const text = report.ok && !isVerbose ? "ok\n" : formatHealthReport(name, report);
  return answer(report.ok ? 200 : 503, text);
}

export async function metricsAnswer(metrics: Pick<Metrics, "text" | "contentType">): Promise<HealthAnswer> {
  return answer(200, await metrics.text(), metrics.contentType);
}

export interface HealthListenerOptions {
  readonly listen: Address;
  /** Whether it does its work. */
  readonly ready: Health;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
  /** More about the program, as JSON for people, by the name of its path. */
  readonly pages?: Readonly<Record<string, () => unknown>>;
}

/** The health page of a program that serves nothing else: kubelet and Prometheus ask, and nobody else should reach it. */
export class HealthListener {
  readonly #options: HealthListenerOptions;
  readonly #server: Server;

  constructor(options: HealthListenerOptions) {
    this.#options = options;
    const limits = { requestTimeout: 10_000, headersTimeout: 10_000, maxHeaderSize: 8_192 };
    this.#server = createServer(limits, (request, response) => void this.#answer(request, response));
    this.#server.maxConnections = 64;
  }

  /** Resolves to the address it listens on: `127.0.0.1:8081`. */
  async listen(): Promise<string> {
    const { host, port } = this.#options.listen;
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
    const bound = this.#server.address();
    if (typeof bound !== "object" || bound === null) return `${host}:${port}`;
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
    const { status, headers, text } = await this.#answerTo(request.url ?? "").catch((error: unknown) =>
      answer(500, `${BowlineError.from(error).message}\n`),
    );
    response.writeHead(status, headers).end(text);
  }

  async #answerTo(url: string): Promise<HealthAnswer> {
    const { ready, metrics, pages = {} } = this.#options;
    const [path = "", query = ""] = url.split("?", 2);
    const isVerbose = ["", "1", "true"].includes(new URLSearchParams(query).get("verbose") ?? "false");
    const name = path.slice(1);
    // Connecting again and the like is the business of the program, not of kubelet: who answers, lives.
    if (name === "livez" || name === "healthz") return probeAnswer(name, undefined, isVerbose);
    if (name === "readyz") return probeAnswer(name, ready, isVerbose);
    if (name === "metrics") return metricsAnswer(metrics);
    const page = Object.hasOwn(pages, name) ? pages[name] : undefined;
    if (page !== undefined)
      return answer(200, `${JSON.stringify(page(), undefined, 2)}\n`, "application/json");
    const names = ["livez", "healthz", "readyz", ...Object.keys(pages)].map((each) => `/${each}`).join(", ");
    return answer(404, `There are ${names} and /metrics.\n`);
  }
}

function answer(status: number, text: string, type = "text/plain; charset=utf-8"): HealthAnswer {
  const headers = { "content-type": type, "cache-control": "no-store", "x-content-type-options": "nosniff" };
  return { status, headers, text };
}
