import { setTimeout as sleep } from "node:timers/promises";

import { arrivalSpread, type ArrivalSpread } from "./arrival-spread.ts";
import { agentCount, type Stage } from "./stage.ts";

export type Ending = "SIGKILL" | "SIGTERM";

/** How the agents came back after the server had gone; in seconds after it was told to go. */
export interface RestartMeasurement {
  readonly ending: Ending;
  /** When the old process was gone. */
  readonly goneSeconds: number;
  /** When the new process listened. */
  readonly listeningSeconds: number;
  /** When the server had a session and a tunnel of every agent. */
  readonly reconnectedSeconds: number;
  /** Attempts to connect, those that failed among them. */
  readonly dials: ArrivalSpread & { readonly count: number };
  readonly welcomes: ArrivalSpread;
  /** Of the new process, until everybody was back. */
  readonly cpuSeconds: number;
}

const pollMs = 100;
/** Far beyond the goal, so that a slow machine still gets a figure. */
const limitMs = 240_000;

export async function measureRestart(stage: Stage, ending: Ending): Promise<RestartMeasurement> {
  const { server, fleet } = stage;
  await fleet.watch();
  const beginMs = Date.now();
  const sinceBegin = (): number => (Date.now() - beginMs) / 1000;
  await server.end(ending);
  const goneSeconds = sinceBegin();
  await server.start();
  const listeningSeconds = sinceBegin();
  await everybodyBack(stage);
  const reconnectedSeconds = sinceBegin();
  const { cpuSeconds } = await server.use();
  const { dialsMs, welcomesMs } = await fleet.arrivals();
  return {
    ending,
    goneSeconds,
    listeningSeconds,
    reconnectedSeconds,
    dials: { ...arrivalSpread(dialsMs, beginMs), count: dialsMs.length },
    welcomes: arrivalSpread(welcomesMs, beginMs),
    cpuSeconds,
  };
}

/** Resolves when both sides say that every agent has its tunnel. */
export async function everybodyBack({ server, fleet, context }: Stage): Promise<void> {
  const endMs = performance.now() + limitMs;
  for (;;) {
    server.requireAlive();
    const { serving } = await fleet.census();
    const held = serving === agentCount ? await server.held() : undefined;
    if (held?.sessions === agentCount && held.tunnels === agentCount) return;
    if (performance.now() > endMs) throw new Error(`${serving} of ${agentCount} agents have come back`);
    await sleep(pollMs, undefined, { signal: context.signal });
  }
}
