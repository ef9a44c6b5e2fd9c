import type { IncomingMessage, ServerResponse } from "node:http";

import { BowlineError } from "./bowline-error.ts";
import { formatHealthReport, type Health } from "./health.ts";
import type { Metrics } from "./metrics.ts";

export interface HealthRequestsOptions {
  /** Whether the process is to be restarted. */
  readonly live: Health;
  /** Whether it does its work. */
  readonly ready: Health;
  readonly metrics: Pick<Metrics, "text" | "contentType">;
}

/** Answers what kubelet and Prometheus ask a program: `/healthz`, `/readyz` and `/metrics`. The program listens. */
export function healthRequests(
  options: HealthRequestsOptions,
): (request: IncomingMessage, response: ServerResponse) => void {
  const { live, ready, metrics } = options;
  const answer = async (path: string | undefined, response: ServerResponse): Promise<void> => {
    try {
      if (path === "/healthz") await reportOn(live, response);
      else if (path === "/readyz") await reportOn(ready, response);
      else if (path === "/metrics") send(response, 200, await metrics.text(), metrics.contentType);
      else send(response, 404, "There are /healthz, /readyz and /metrics.\n");
    } catch (error) {
      send(response, 500, `${BowlineError.from(error).message}\n`);
    }
  };
  return (request, response) => {
    // The bodies of those who send some are of no interest.
    request.resume();
    void answer(request.url?.split("?", 1)[0], response);
  };
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
