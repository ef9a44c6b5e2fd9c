import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { Cluster, parseFieldSelector, parseLabelSelector } from "@bowline/api";
import { BowlineError, errorCodes, Metrics, systemClock, type Clock } from "@bowline/core";
import { onTestFinished } from "vitest";

import type { Store } from "@bowline/store";
import { ObjectWatch } from "../object-watch.ts";
import { defaultWatchLimits, WatcherPool, type WatchLimits } from "../watcher-pool.ts";
import { WatchMetrics } from "../watch-metrics.ts";

export interface WatchServer {
  readonly url: string;
  readonly pool: WatcherPool;
  readonly metrics: Metrics;
  readonly http: Server;
  /** Aborts the signal of every request. */
  readonly abort: (reason?: unknown) => void;
  /** The last response that was given to the watch. */
  readonly lastResponse: () => ServerResponse | undefined;
}

/** Watches of Clusters over real connections, until the test ends. */
export async function startWatchServer(
  store: Pick<Store, "objects" | "changes">,
  limits: Partial<WatchLimits> = {},
  clock: Clock = systemClock,
): Promise<WatchServer> {
  const metrics = new Metrics({ version: "1", revision: "1" });
  const pool = new WatcherPool({
    clock,
    limits: { ...defaultWatchLimits, ...limits },
    metrics: new WatchMetrics(metrics),
  });
  const watch = new ObjectWatch(store, pool);
  let controller = new AbortController();
  let lastResponse: ServerResponse | undefined;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { searchParams } = new URL(request.url ?? "", "http://localhost");
    lastResponse = response;
    try {
      await watch.serve(
        {
          kind: Cluster,
          labels: parseLabelSelector(searchParams.get("labelSelector") ?? ""),
          fields: parseFieldSelector(Cluster, searchParams.get("fieldSelector") ?? ""),
          since: searchParams.get("resourceVersion") ?? undefined,
          signal: controller.signal,
          requestId: "request-1",
        },
        response,
      );
    } catch (error) {
      const { code, message } = BowlineError.from(error);
      response.writeHead(errorCodes[code].httpStatus).end(JSON.stringify({ error: { code, message } }));
    }
  };
  const http = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    await pool.close();
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  const { port } = http.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    pool,
    metrics,
    http,
    abort(reason) {
      controller.abort(reason);
      controller = new AbortController();
    },
    lastResponse: () => lastResponse,
  };
}
