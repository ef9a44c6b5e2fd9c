import type { DomainNameSpec } from "@bowline/api";

/** What was seen of a cluster just now. */
export interface SeenCluster {
  readonly cluster: string;
  readonly isHealthy: boolean;
  /** It is on its way out, by somebody's decision: nobody waits for it to come back. */
  readonly isLeaving: boolean;
  /** Empty where nobody can say: then the last ones that were known count. */
  readonly addresses: readonly string[];
  readonly reason: string;
  readonly message: string;
}

/** The same with what was known of it before. */
export interface KnownCluster extends SeenCluster {
  /** Since when it is healthy, or not, without a break, as far as it was looked at. */
  readonly sinceMs: number;
  /** When it was taken out of the records. */
  readonly lostAtMs?: number | undefined;
}

export interface HostState {
  /** The clusters that records lead to; empty for a host that has none yet. */
  readonly active: readonly string[];
  readonly sinceMs: number;
  readonly clusters: readonly KnownCluster[];
}

export interface HostRules {
  readonly policy: DomainNameSpec["policy"];
  /** The preferred cluster first; undefined where none is preferred. */
  readonly preference: readonly string[] | undefined;
  readonly afterMs: number;
  readonly returnAfterMs: number;
  readonly returns: "automatic" | "manual";
  /** Time without a look counts for so long; more of it is no time in which anything was seen. */
  readonly longestGapMs: number;
}

export interface LookTime {
  readonly nowMs: number;
  /** Of the look before this one; undefined when there was none. */
  readonly lookedAtMs: number | undefined;
}

/** Why records lead elsewhere now. */
export type SwitchReason = "Chosen" | "FailedOver" | "Returned" | "Left" | "Joined";

export interface Decision {
  readonly state: HostState;
  /** Undefined when it stays as it is. */
  readonly why: SwitchReason | undefined;
  /** When something may have to be decided next, if nothing else changes; `Infinity` for never. */
  readonly nextMs: number;
}

/**
 * Decides which clusters the records of a host lead to.
 *
 * A cluster that is active stays so until it has been unhealthy for `after` without a break, and then only if another
 * has been healthy for as long: what answers every other time neither takes over nor comes back. As long as there is any
 * cluster the answer is never empty; while none is healthy it is what it was.
 */
export function decideHost(
  before: HostState | undefined,
  seen: readonly SeenCluster[],
  rules: HostRules,
  time: LookTime,
): Decision {
  const { nowMs } = time;
  const active = before?.active ?? [];
  const clusters = inOrder(tracked(before, seen, rules, time), rules.preference);
  const isGone = seen.length === 0;
  const question = { clusters, active, activeSinceMs: before?.sinceMs ?? nowMs, rules, nowMs };
  const { next, why } = isGone
    ? { next: [], why: active.length === 0 ? undefined : ("Left" as const) }
    : rules.policy === "single"
      ? chooseOne(question)
      : chooseAll(question);
  const state: HostState = {
    active: next,
    sinceMs: why === undefined ? Math.min(before?.sinceMs ?? nowMs, nowMs) : nowMs,
    clusters: clusters
      .filter(({ cluster }) => next.includes(cluster) || seen.some((each) => each.cluster === cluster))
      .map((each) => withLoss(each, { active, next, nowMs })),
  };
  return { state, why, nextMs: nextDecisionMs(state, rules, nowMs) };
}

interface Question {
  /** In order of preference. */
  readonly clusters: readonly KnownCluster[];
  readonly active: readonly string[];
  readonly activeSinceMs: number;
  readonly rules: HostRules;
  readonly nowMs: number;
}

interface Choice {
  readonly next: readonly string[];
  readonly why: SwitchReason | undefined;
}

/** What was seen now, with how long that has been so. */
function tracked(
  before: HostState | undefined,
  seen: readonly SeenCluster[],
  { longestGapMs }: HostRules,
  { nowMs, lookedAtMs }: LookTime,
): KnownCluster[] {
  // An hour in which nobody looked is no hour of answers, or of silence.
  const unseenMs = lookedAtMs === undefined ? Infinity : Math.max(0, nowMs - lookedAtMs - longestGapMs);
  const found = seen.map((each): KnownCluster => {
    const known = before?.clusters.find(({ cluster }) => cluster === each.cluster);
    const isSame = known?.isHealthy === each.isHealthy;
    // The wall clock may have been set back: what begins later than now begins now.
    const sinceMs = isSame ? Math.min(nowMs, known.sinceMs + unseenMs) : nowMs;
    const addresses = each.addresses.length > 0 ? each.addresses : (known?.addresses ?? []);
    return { ...each, addresses, sinceMs, lostAtMs: known?.lostAtMs };
  });
  const gone = (before?.clusters ?? []).filter(
    ({ cluster }) =>
      before?.active.includes(cluster) === true && !seen.some((each) => each.cluster === cluster),
  );
  return [...found, ...gone.map((each) => unseen(each, nowMs))];
}

/** Its routes may be there no more: whatever it answered last, nobody asks it now. */
function unseen(each: KnownCluster, nowMs: number): KnownCluster {
  const message = `No Gateway has the host in cluster ${each.cluster} any more, or spec.clusters does not name it.`;
  const sinceMs = each.isHealthy ? nowMs : each.sinceMs;
  return { ...each, isHealthy: false, isLeaving: true, sinceMs, reason: "Leaving", message };
}

function inOrder(
  clusters: readonly KnownCluster[],
  preference: readonly string[] | undefined,
): KnownCluster[] {
  const rank = ({ cluster }: KnownCluster): number => {
    const index = preference?.indexOf(cluster) ?? 0;
    return index === -1 ? Infinity : index;
  };
  return clusters.toSorted((one, other) => {
    const [mine, others] = [rank(one), rank(other)];
    if (mine !== others) return mine < others ? -1 : 1;
    return one.cluster < other.cluster ? -1 : 1;
  });
}

function chooseOne({ clusters, active, activeSinceMs, rules, nowMs }: Question): Choice {
  const members = clusters.filter(({ cluster }) => active.includes(cluster));
  if (members.length > 1) {
    // They were chosen by another policy.
    const one = members.find((each) => isUsable(each) && each.isHealthy) ?? members[0];
    return { next: one === undefined ? active : [one.cluster], why: "Left" };
  }
  const stay: Choice = { next: active, why: undefined };
  const usable = clusters.filter(isUsable);
  const steady = usable.find((each) => isSteady(each, rules.afterMs, nowMs));
  const current = clusters.find(({ cluster }) => cluster === active[0]);
  if (current === undefined) {
    // Who issues certificates over HTTP has to reach a cluster before anything there answers.
    const first = usable.find(({ isHealthy }) => isHealthy) ?? usable[0];
    return first === undefined ? { next: [], why: undefined } : { next: [first.cluster], why: "Chosen" };
  }
  if (current.isLeaving) {
    const other = steady ?? usable.find(({ isHealthy }) => isHealthy);
    return other === undefined ? stay : { next: [other.cluster], why: "Left" };
  }
  if (steady !== undefined && isLost(current, rules.afterMs, nowMs)) {
    return { next: [steady.cluster], why: "FailedOver" };
  }
  // Two switches are at least as far apart as a loss takes: a return does not follow at once.
  const mayReturn = canReturn(rules) && nowMs - activeSinceMs >= rules.afterMs;
  const preferred = clusters
    .slice(0, mayReturn ? clusters.indexOf(current) : 0)
    .find((each) => isUsable(each) && isSteady(each, rules.returnAfterMs, nowMs));
  return preferred === undefined ? stay : { next: [preferred.cluster], why: "Returned" };
}

function chooseAll({ clusters, active, rules, nowMs }: Question): Choice {
  const usable = clusters.filter(isUsable);
  const members = clusters.filter(({ cluster }) => active.includes(cluster));
  if (members.length === 0) {
    const healthy = usable.filter(({ isHealthy }) => isHealthy);
    const first = healthy.length > 0 ? healthy : usable.slice(0, 1);
    return { next: namesOf(first), why: first.length === 0 ? undefined : "Chosen" };
  }
  const staying = members.filter((each) => !each.isLeaving && !isLost(each, rules.afterMs, nowMs));
  const joining = usable.filter(
    (each) => !members.includes(each) && isSteady(each, joinAfterMs(each, rules), nowMs),
  );
  const next = clusters.filter((each) => staying.includes(each) || joining.includes(each));
  const isSame = joining.length === 0 && staying.length === members.length;
  if (isSame || !next.some(({ isHealthy }) => isHealthy)) return { next: active, why: undefined };
  const isFailure = members.some((each) => !each.isLeaving && !staying.includes(each));
  if (isFailure) return { next: namesOf(next), why: "FailedOver" };
  return { next: namesOf(next), why: staying.length < members.length ? "Left" : "Joined" };
}

function isUsable({ isLeaving, addresses }: KnownCluster): boolean {
  return !isLeaving && addresses.length > 0;
}

function isSteady({ isHealthy, sinceMs }: KnownCluster, forMs: number, nowMs: number): boolean {
  return isHealthy && nowMs - sinceMs >= forMs;
}

function isLost({ isHealthy, sinceMs }: KnownCluster, afterMs: number, nowMs: number): boolean {
  return !isHealthy && nowMs - sinceMs >= afterMs;
}

function canReturn({ preference, returns }: HostRules): boolean {
  return preference !== undefined && returns === "automatic";
}

/** One that was lost has to answer for longer than one that is new. */
function joinAfterMs({ lostAtMs }: KnownCluster, { afterMs, returnAfterMs }: HostRules): number {
  return lostAtMs === undefined ? afterMs : returnAfterMs;
}

function namesOf(clusters: readonly KnownCluster[]): string[] {
  return clusters.map(({ cluster }) => cluster);
}

function withLoss(
  each: KnownCluster,
  { active, next, nowMs }: Pick<Question, "active" | "nowMs"> & Pick<Choice, "next">,
): KnownCluster {
  if (next.includes(each.cluster)) return { ...each, lostAtMs: undefined };
  return active.includes(each.cluster) ? { ...each, lostAtMs: nowMs } : each;
}

/** The streaks that decide something when they have lasted long enough. */
function nextDecisionMs(
  { active, sinceMs: activeSinceMs, clusters }: HostState,
  rules: HostRules,
  nowMs: number,
): number {
  const current = clusters.findIndex(({ cluster }) => active.includes(cluster));
  const times = clusters.flatMap((each, index) => {
    const { cluster, isHealthy, sinceMs } = each;
    if (active.includes(cluster)) return isHealthy ? [] : [sinceMs + rules.afterMs];
    if (!isHealthy) return [];
    if (rules.policy !== "single") return [sinceMs + joinAfterMs(each, rules)];
    const mayReturn = canReturn(rules) && index < current;
    return [
      sinceMs + rules.afterMs,
      ...(mayReturn ? [Math.max(sinceMs + rules.returnAfterMs, activeSinceMs + rules.afterMs)] : []),
    ];
  });
  return Math.min(...times.filter((time) => time > nowMs));
}
