import type { MeasuredServer } from "./measured-server.ts";
import type { LatencyMeasurement, LatencyOrder, LoadMeasurement } from "./measurement.ts";
import type { Stage } from "./stage.ts";

export interface LatenciesMeasurement {
  readonly toWatcher: readonly LatencyMeasurement[];
  readonly toController: readonly LatencyMeasurement[];
  /** The pace that was kept, at the slowest. */
  readonly changesPerSecond: number;
}

interface Changes {
  readonly watchers: number;
  readonly until: LatencyOrder["until"];
  readonly region?: string;
}

interface ChangesMeasurement extends LatencyMeasurement {
  readonly perSecond: number;
}

export const watcherCount = 200;
export const changesPerSecond = 200;
/** Of as many objects; every object is changed once. */
const changes = 800;

/**
 * From the moment a change is sent until a watcher has it. What a controller does is seen by a watcher as well: the time
 * to the controller ends when the watcher sees that the change was dealt with, which is a little later than the
 * controller began.
 */
export async function measureLatencies(stage: Stage, server: MeasuredServer): Promise<LatenciesMeasurement> {
  const { rounds, progress, signal } = stage.context;
  const toWatcher: ChangesMeasurement[] = [];
  const toController: ChangesMeasurement[] = [];
  for (let round = 1; round <= rounds; round++) {
    signal.throwIfAborted();
    progress(`round ${round} of ${rounds}: ${changesPerSecond} changes/s with ${watcherCount} watchers`);
    toWatcher.push(await follow(stage, server, { watchers: watcherCount, until: "announced" }));
    progress(`round ${round} of ${rounds}: ${changesPerSecond} changes/s for the controller`);
    toController.push(
      await follow(stage, server, { watchers: 1, until: "observed", region: `region-${round}` }),
    );
  }
  const paces = [...toWatcher, ...toController].map(({ perSecond }) => perSecond);
  return { toWatcher, toController, changesPerSecond: Math.min(...paces) };
}

async function follow(
  { load, watching }: Stage,
  server: MeasuredServer,
  { watchers, until, region }: Changes,
): Promise<ChangesMeasurement> {
  const { port, token } = server;
  const resourceVersion = await server.resourceVersion();
  await watching.ask("watch", { port, token, watchers, resourceVersion });
  await watching.ask("expect", { changes, until });
  const [seen, sent] = await Promise.all([
    watching.ask<LatencyMeasurement>("latencies"),
    load.ask<LoadMeasurement>("change", { port, token, count: changes, perSecond: changesPerSecond, region }),
  ]);
  await watching.ask("leave");
  return { ...seen, perSecond: (sent.requests * 1000) / sent.elapsedMs };
}
