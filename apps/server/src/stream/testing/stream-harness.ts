import type { Clock } from "@bowline/core";
import { onTestFinished } from "vitest";

import { openProxy, type HarnessOptions, type ProxyHarness } from "../../proxy/testing/proxy-harness.ts";
import { eventRoutes } from "../../routes/event-routes.ts";
import { EventWatch } from "../../routes/event-watch.ts";
import { ObjectWatch } from "../../watch/object-watch.ts";
import { WatchMetrics } from "../../watch/watch-metrics.ts";
import { defaultWatchLimits, WatcherPool } from "../../watch/watcher-pool.ts";
import type { StreamLimits } from "../stream-limits.ts";
import { streamRoutes } from "../stream-routes.ts";
import { StreamSockets } from "../stream-sockets.ts";
import { StreamClient, type ClientOptions } from "./stream-client.ts";

export interface StreamHarness extends ProxyHarness {
  readonly streams: StreamSockets;
  readonly watchers: WatcherPool;
  /** Connects as the operator, unless told otherwise. */
  readonly connect: (options?: ClientOptions) => Promise<StreamClient>;
}

export interface StreamHarnessOptions extends Omit<HarnessOptions, "more"> {
  readonly streamLimits?: Partial<StreamLimits>;
  /** Of streams alone. */
  readonly streamClock?: Clock;
}

/** A server with a cluster, whose kinds and events can be watched, and with streams. */
export async function openStreams(options: StreamHarnessOptions = {}): Promise<StreamHarness> {
  let parts: { readonly streams: StreamSockets; readonly watchers: WatcherPool } | undefined;
  const harness = await openProxy({
    ...options,
    more: ({ store, access, metrics, clock }) => {
      const watchers = new WatcherPool({
        clock,
        limits: defaultWatchLimits,
        metrics: new WatchMetrics(metrics),
      });
      const streams = new StreamSockets({
        access,
        clock: options.streamClock ?? clock,
        metrics,
        limits: options.streamLimits ?? {},
      });
      parts = { streams, watchers };
      const watch = new EventWatch(store.events.feed, watchers);
      return {
        watches: new ObjectWatch(store, watchers),
        plugins: [streamRoutes(streams), eventRoutes({ events: store.events, watch, access })],
      };
    },
  });
  if (parts === undefined) throw new Error("The API was made without its parts.");
  const { streams, watchers } = parts;
  onTestFinished(async () => {
    await Promise.all([streams.close(AbortSignal.abort()), watchers.close()]);
  });
  const url = `ws://127.0.0.1:${harness.port}/api/v1/stream`;
  return { ...harness, streams, watchers, connect: (client) => StreamClient.open(url, client) };
}
