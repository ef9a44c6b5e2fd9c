import type { Kind } from "@bowline/api";
import type { Health, Metrics } from "@bowline/core";

import type { ApiPlugin } from "../api/http-api.ts";
import { healthRoute } from "./health-route.ts";
import { metricsRoute } from "./metrics-route.ts";
import { openApiRoute } from "./open-api-route.ts";

export interface SystemRoutesOptions {
  /** Whether clients should be sent here. */
  readonly readiness: Health;
  readonly metrics: Metrics;
  /** Shows the metrics to everybody; otherwise they need a token of any role. */
  readonly openMetrics?: boolean | undefined;
  /** Of the program. */
  readonly version: string;
  /** What the API's description describes. */
  readonly kinds?: readonly Kind[] | undefined;
}

/** What is asked about the server itself: probes, metrics, its version, and the description of the API. */
export function systemRoutes(options: SystemRoutesOptions): ApiPlugin {
  const { readiness, metrics, openMetrics = false, version, kinds } = options;
  return (app) => {
    // A process that answers should be let live.
    healthRoute(app, "/healthz");
    healthRoute(app, "/readyz", readiness);
    metricsRoute(app, metrics, openMetrics);
    app.get("/version", { config: { open: true } }, () => ({ version }));
    openApiRoute(app, { version, ...(kinds === undefined ? {} : { kinds }) });
  };
}
