import { waveOf, type Rollout, type RolloutStatus } from "@bowline/api";
import { parseDurationMs } from "@bowline/core";

/** Why a cluster does not get the change now. */
export interface Wait {
  readonly reason: string;
  readonly message: string;
}

/** A cluster of an instance, as a rollout sees it. */
export interface RolloutCluster {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly isConnected: boolean;
  /** Its placement says what the instance wants now. */
  readonly hasChange: boolean;
  /** And that is applied and healthy. */
  readonly isReady: boolean;
  /** Why it cannot get the change, whatever its wave. */
  readonly wait?: { readonly reason: string; readonly message: string } | undefined;
}

export interface RolloutInput {
  readonly rollout: Rollout;
  /** Hash of what the instance wants, and the revision in it. */
  readonly change: string;
  readonly revision: string;
  readonly clusters: readonly RolloutCluster[];
  /** As it was at the last look; undefined before the first. */
  readonly state: RolloutStatus | undefined;
  /** The revision that most clusters have, if there is one: where the first rollout goes back to. */
  readonly present: string | undefined;
  /** What somebody has agreed to for this revision: waves up to this one, and so many failures. */
  readonly approved: { readonly wave: number; readonly failures: number };
  readonly nowMs: number;
}

export interface RolloutPlan {
  /** Names of clusters that get the change, or have it. */
  readonly open: ReadonlySet<string>;
  readonly waiting: ReadonlyMap<string, Wait>;
  readonly state: RolloutStatus;
  /** When to look again though nothing has happened. */
  readonly againMs: number;
}

/**
 * Decides which clusters get a change now, from what is so and from how far it was at the last look. The answer is the
 * same whoever asks and however often, so that a server may end at any point and another one goes on.
 *
 * - `Progressing`: clusters of the wave get the change, as many at once as may be
 * - `Soaking`: all of the wave are ready, and have to stay so for a while
 * - `WaitingForApproval`: the wave begins when somebody agrees
 * - `Paused`: too many have failed; no further cluster gets it
 * - `RolledBack`: too many have failed; all get the revision before
 * - `Complete`: every cluster may have it
 */
export function planRollout(input: RolloutInput): RolloutPlan {
  const begun = triedAgain(input, begin(input));
  if (begun.phase === "Complete" || begun.phase === "RolledBack") return settledPlan(input, begun);
  const waves = waveOf(input.rollout.waves, input.clusters);
  const looked = look(input, begun);
  return advance(input, looked, waves);
}

/** Another change begins from the first wave, and goes back to the last revision that was completed everywhere. */
function begin({ change, revision, state, present, rollout, clusters }: RolloutInput): RolloutStatus {
  if (state?.change === change) return state;
  const stable = state?.phase === "Complete" ? state.revision : state?.from;
  const from = stable ?? present;
  // Where everything was as it is wanted before anybody asked for waves, there is nothing to do.
  const isThere = clusters.length > 0 && clusters.every(({ hasChange }) => hasChange);
  return {
    change,
    revision,
    ...(from === undefined || from === revision ? {} : { from }),
    phase: isThere && (state ?? { phase: "Complete" }).phase === "Complete" ? "Complete" : "Progressing",
    wave: 1,
    waveCount: rollout.waves.length + 1,
    underWay: [],
    failed: [],
  };
}

/** Somebody has seen in how many clusters it failed, and wants it all the same. */
function triedAgain({ approved }: RolloutInput, state: RolloutStatus): RolloutStatus {
  if (state.phase !== "RolledBack" || approved.failures < state.failed.length) return state;
  return { ...state, phase: "Progressing", wave: 1, failed: [] };
}

function settledPlan({ clusters }: RolloutInput, state: RolloutStatus): RolloutPlan {
  return {
    open: new Set(clusters.map(({ name }) => name)),
    waiting: new Map(),
    state: { ...state, underWay: [], failed: state.phase === "Complete" ? [] : state.failed },
    againMs: Infinity,
  };
}

/** Who has become ready, who has failed, and who went offline. */
function look({ rollout, clusters, nowMs }: RolloutInput, state: RolloutStatus): RolloutStatus {
  const deadlineMs = parseDurationMs(rollout.deadline) ?? 0;
  const since = new Map(state.underWay.map((each) => [each.cluster, Date.parse(each.since)]));
  const started = clusters.filter((cluster) => cluster.hasChange && !cluster.isReady);
  const counted = started.filter(({ isConnected }) => isConnected || rollout.offline === "wait");
  const isLate = ({ name }: RolloutCluster): boolean =>
    state.failed.includes(name) || nowMs - (since.get(name) ?? nowMs) >= deadlineMs;
  return {
    ...state,
    failed: counted.filter(isLate).map(({ name }) => name),
    underWay: counted
      .filter((cluster) => !isLate(cluster))
      .map(({ name }) => ({
        cluster: name,
        since: new Date(since.get(name) ?? nowMs).toISOString(),
      })),
  };
}

/** Goes on to further waves as far as it may. */
function advance(
  input: RolloutInput,
  looked: RolloutStatus,
  waves: ReadonlyMap<string, number>,
): RolloutPlan {
  const { rollout, clusters, nowMs, approved } = input;
  const allowed = Math.max(rollout.maxFailures, approved.failures);
  if (looked.failed.length > allowed) return stopped(input, looked, waves);
  const waveCount = rollout.waves.length + 1;
  let state: RolloutStatus = { ...looked, waveCount };
  for (let wave = Math.min(state.wave, waveCount); ; wave += 1) {
    state = { ...state, wave };
    if (rollout.waves[wave - 1]?.approval === true && approved.wave < wave) {
      return opened(input, { ...withoutSoak(state), phase: "WaitingForApproval" }, waves);
    }
    const here = clusters.filter(({ name }) => (waves.get(name) ?? 0) <= wave);
    if (!isDone(input, state, here))
      return opened(input, { ...withoutSoak(state), phase: "Progressing" }, waves);
    const soakMs = here.length === 0 ? 0 : (parseDurationMs(rollout.waves[wave - 1]?.soak ?? "0s") ?? 0);
    const until = state.soakUntil === undefined ? nowMs + soakMs : Date.parse(state.soakUntil);
    if (until > nowMs) {
      return opened(input, { ...state, phase: "Soaking", soakUntil: new Date(until).toISOString() }, waves);
    }
    state = withoutSoak(state);
    if (wave === waveCount) return settledPlan(input, { ...state, phase: "Complete" });
  }
}

function withoutSoak(state: RolloutStatus): RolloutStatus {
  const { soakUntil: _, ...rest } = state;
  return rest;
}

/** Ready, failed within the limit, or nobody waits for it. */
function isDone(
  { rollout }: RolloutInput,
  { failed }: RolloutStatus,
  here: readonly RolloutCluster[],
): boolean {
  return here.every(
    ({ name, hasChange, isReady, isConnected }) =>
      (hasChange && isReady) ||
      failed.includes(name) ||
      (hasChange && !isConnected && rollout.offline === "skip"),
  );
}

function stopped(input: RolloutInput, state: RolloutStatus, waves: ReadonlyMap<string, number>): RolloutPlan {
  const { rollout, clusters } = input;
  if (rollout.onFailure === "rollback" && state.from !== undefined) {
    return settledPlan(input, { ...withoutSoak(state), phase: "RolledBack" });
  }
  const has = clusters.filter(({ hasChange }) => hasChange).map(({ name }) => name);
  const paused = { ...withoutSoak(state), phase: "Paused" as const };
  return { ...planOf(input, paused, new Set(has), waves), againMs: Infinity };
}

/** Clusters of this wave and of those before it get the change, as many at once as may be. */
function opened(input: RolloutInput, state: RolloutStatus, waves: ReadonlyMap<string, number>): RolloutPlan {
  const { rollout, clusters, nowMs } = input;
  const open = new Set(clusters.filter(({ hasChange }) => hasChange).map(({ name }) => name));
  const underWay = [...state.underWay];
  let room = rollout.maxConcurrent - underWay.length;
  const lastWave = state.phase === "WaitingForApproval" ? state.wave - 1 : state.wave;
  for (const { name, wait, isConnected, hasChange } of clusters) {
    if (hasChange || wait !== undefined || (waves.get(name) ?? 0) > lastWave) continue;
    // One that nobody waits for takes no room: it may stay away for a week.
    const isCounted = isConnected || rollout.offline === "wait";
    if (isCounted && room <= 0) continue;
    open.add(name);
    if (!isCounted) continue;
    room -= 1;
    underWay.push({ cluster: name, since: new Date(nowMs).toISOString() });
  }
  return planOf(input, { ...state, underWay }, open, waves);
}

function planOf(
  { rollout, clusters, nowMs }: RolloutInput,
  state: RolloutStatus,
  open: ReadonlySet<string>,
  waves: ReadonlyMap<string, number>,
): RolloutPlan {
  const deadlineMs = parseDurationMs(rollout.deadline) ?? 0;
  const times = state.underWay.map(({ since }) => Date.parse(since) + deadlineMs - nowMs);
  if (state.soakUntil !== undefined) times.push(Date.parse(state.soakUntil) - nowMs);
  const waiting = new Map(
    clusters
      .filter(({ name }) => !open.has(name))
      .map((cluster) => [cluster.name, cluster.wait ?? waveWait(state, waves.get(cluster.name) ?? 0)]),
  );
  return { open, waiting, state, againMs: Math.max(0, Math.min(Infinity, ...times)) };
}

function waveWait({ phase, wave, waveCount, failed }: RolloutStatus, own: number): Wait {
  if (phase === "Paused") {
    const where = `${failed.slice(0, 3).join(", ")}${failed.length > 3 ? " and others" : ""}`;
    return { reason: "RolloutPaused", message: `The rollout has stopped, because it failed in ${where}.` };
  }
  const place = `It gets the change with wave ${own} of ${waveCount}`;
  if (phase === "WaitingForApproval") {
    return { reason: "WaitingForApproval", message: `${place}; wave ${wave} waits for an agreement.` };
  }
  if (phase === "Soaking") {
    return { reason: "WaitingForWave", message: `${place}; wave ${wave} has to stay ready for a while.` };
  }
  const now = own <= wave ? "other clusters of it come first" : `wave ${wave} is under way`;
  return { reason: "WaitingForWave", message: `${place}; ${now}.` };
}
