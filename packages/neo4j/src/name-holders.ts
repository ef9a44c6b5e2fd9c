import { exportedId, isNewer, type ObjectFacts } from "@bowline/graph";

import { saidByOf } from "./batch-rows.ts";
import type { Run } from "./neo4j-database.ts";
import type { BatchOptions } from "./write-batch.ts";

/** An object that wants the node of its name. */
export interface Candidate {
  readonly key: string;
  readonly facts: ObjectFacts;
}

interface Contest {
  /** Keys whose object has just left. */
  readonly freed: readonly string[];
  readonly candidates: readonly Candidate[];
}

interface Settled {
  /** Those that get their node. */
  readonly attached: readonly ObjectFacts[];
  /** Who had a node that a newer object gets. */
  readonly losers: readonly string[];
  /** All who wait for a name of the contest, those losers included. */
  readonly rivals: readonly Rival[];
}

/** A note of an object that waits for the node of its name. */
interface Rival {
  readonly key: string;
  readonly uid: string;
  readonly saidBy: string;
  readonly cluster: string;
}

interface Holder {
  readonly key: string;
  readonly uid: string;
  readonly saidBy: string;
  readonly createdAt: string | null;
}

/**
 * Decides which object a node is, where an object was made again under the name of another whose end is not told yet:
 * the newer one, as in the graph in memory. The other one is to be noted, for the case that it is the newer one that
 * leaves.
 */
export async function settleNames(options: BatchOptions, { freed, candidates }: Contest): Promise<Settled> {
  const { run, cluster } = options;
  const keys = [...new Set([...freed, ...candidates.map(({ key }) => key)])];
  const [holders, rivals] = await Promise.all([
    run<Holder & Record<string, unknown>>(
      `UNWIND $keys AS key MATCH (n:Bowline {key: key}) WHERE n.uid IS NOT NULL
       RETURN key, n.uid AS uid, n.saidBy AS saidBy, n.createdAt AS createdAt`,
      { keys },
    ),
    run<{ key: string; uid: string }>(
      "UNWIND $keys AS key MATCH (r:BowlineRival {key: key}) RETURN key, r.uid AS uid",
      { keys },
    ),
  ]);
  const contests = new Map<string, ObjectFacts[]>();
  for (const { key, facts } of candidates) contestOf(contests, key).push(facts);
  const losers: string[] = [];
  const waiting: Rival[] = [];
  for (const { key, uid } of rivals) {
    // The log may be ahead: one that has another name by now, or is gone, has a change of its own to come.
    const facts = await options.facts(uid);
    if (facts !== undefined && exportedId(cluster, facts.node) === key) contestOf(contests, key).push(facts);
  }
  const held = new Map(holders.map((holder) => [holder.key, holder]));
  const attached: ObjectFacts[] = [];
  for (const [key, contestants] of contests) {
    const newest = contestants.reduce((best, one) => (isNewer(one, best) ? one : best));
    const holder = held.get(key);
    const wins = holder === undefined || isNewer(newest, holderFacts(newest, holder));
    if (wins) attached.push(newest);
    if (wins && holder !== undefined) {
      losers.push(holder.saidBy);
      waiting.push({ key, uid: holder.uid, saidBy: holder.saidBy, cluster });
    }
    for (const { uid } of contestants) {
      if (!wins || uid !== newest.uid) waiting.push({ key, uid, saidBy: saidByOf(cluster, uid), cluster });
    }
  }
  if (rivals.length > 0)
    await run("UNWIND $keys AS key MATCH (r:BowlineRival {key: key}) DELETE r", { keys });
  return { attached, losers, rivals: waiting };
}

export async function noteRivals(run: Run, rivals: readonly Rival[]): Promise<void> {
  if (rivals.length === 0) return;
  await run("UNWIND $rivals AS rival MERGE (r:BowlineRival {saidBy: rival.saidBy}) SET r = rival", {
    rivals,
  });
}

/** As much of what the holder says as it takes to compare. */
function holderFacts(like: ObjectFacts, { uid, createdAt }: Holder): ObjectFacts {
  return { ...like, uid, properties: createdAt === null ? {} : { createdAt } };
}

function contestOf(contests: Map<string, ObjectFacts[]>, key: string): ObjectFacts[] {
  const found = contests.get(key) ?? [];
  contests.set(key, found);
  return found;
}
