import { openSocketStreams } from "./open-socket-streams.ts";
import { pageClock } from "./page-clock.ts";
import { PortStreams } from "./port-streams.ts";
import streamWorker from "./stream-worker.ts?sharedworker&url";
import type { Streams } from "./streams.ts";
import { trustedWorker } from "./trusted-worker.ts";

/** The connection of this browser: shared by all its tabs where it has shared workers, else one for each tab. */
export function openStreams(): Streams {
  if (typeof SharedWorker === "undefined") return openSocketStreams();
  const worker = new SharedWorker(trustedWorker(streamWorker), { type: "module", name: "bowline-stream" });
  const streams = new PortStreams(worker.port, pageClock);
  addEventListener("pagehide", () => streams.close());
  return streams;
}
