import { createLogger, Metrics, systemClock } from "@bowline/core";
import { onTestFinished } from "vitest";

import { createHttpApi, type ApiPlugin } from "../api/http-api.ts";
import { TestAccess } from "../api/testing/test-access.ts";
import type { Store } from "@bowline/store";
import { EventSource } from "../watch/testing/event-source.ts";
import { defaultWatchLimits, WatcherPool } from "../watch/watcher-pool.ts";
import { WatchMetrics } from "../watch/watch-metrics.ts";
import { auditRoutes } from "../routes/audit-routes.ts";
import { eventRoutes } from "../routes/event-routes.ts";
import { treeRoutes } from "../routes/tree-routes.ts";
import { EventWatch } from "../routes/event-watch.ts";

export interface RecordApi {
  readonly access: TestAccess;
  readonly pool: WatcherPool;
  readonly close: () => Promise<void>;
  /** The status and the JSON of an answer. */
  readonly get: (path: string, user?: string) => Promise<{ status: number; body: unknown }>;
  readonly watch: <Item>(
    path: string,
    headers?: Record<string, string>,
    user?: string,
  ) => Promise<EventSource<Item>>;
}

/** The routes of records in the real API, on a port, until the test ends. */
export async function startRecordApi(
  store: Store,
  more: (parts: Pick<RecordApi, "access" | "pool">) => readonly ApiPlugin[] = () => [],
): Promise<RecordApi> {
  const access = new TestAccess();
  const metrics = new WatchMetrics(new Metrics({ version: "1", revision: "1" }));
  const pool = new WatcherPool({ clock: systemClock, limits: defaultWatchLimits, metrics });
  const logger = createLogger({ name: "test", level: "fatal", destination: { write: () => {} } });
  const watch = new EventWatch(store.events.feed, pool);
  const plugins = [
    auditRoutes(store.audit),
    eventRoutes({ events: store.events, watch, access }),
    treeRoutes({ store, clock: systemClock }),
    ...more({ access, pool }),
  ];
  const app = await createHttpApi({ store, access, logger, plugins });
  const url = await app.listen({ host: "127.0.0.1", port: 0 });
  const close = async (): Promise<void> => {
    await app.close();
  };
  onTestFinished(close);
  const authorization = (user: string): Record<string, string> => ({ authorization: `Bearer ${user}` });
  return {
    access,
    pool,
    close,
    async get(path, user = "operator") {
      const response = await fetch(`${url}${path}`, { headers: authorization(user) });
      return { status: response.status, body: await response.json() };
    },
    watch: (path, headers = {}, user = "operator") =>
      EventSource.open(`${url}${path}`, { ...headers, ...authorization(user) }),
  };
}
