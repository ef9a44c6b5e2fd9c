import { createHash } from "node:crypto";

import type { Update } from "@aws-sdk/client-eks";
import { isRecord, shortened } from "@bowline/core";

import type { ProviderAnswer } from "../provider.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { unless } from "./cluster-step.ts";
import { saveRecord, type EksRound } from "./eks-round.ts";
import { pendingUpdate, updateText, type EksUpdate } from "./eks-update.ts";

/** The last try of an update, in the record of what is updated: a failed one leaves no trace in that itself. */
interface UpdateTry {
  /** Which update it was: another one has nothing to do with it. */
  readonly of: string;
  /** Counted over all updates: to change settings to and fro takes a new token each time. */
  readonly attempt: number;
  /** What AWS calls it; missing until that was heard. */
  readonly id?: string;
  /** Why it failed, in the words of AWS. */
  readonly failure?: string;
  readonly endedAtMs?: number;
  /** Why the one before it failed. */
  readonly failedBefore?: string;
}

const pollMs = 20_000;
const blockedMs = 60_000;
/** A try drains nodes and brings them back: whoever has to mend something is given time for it. */
const againMs = 10 * 60_000;
const longestFailure = 1_000;

/** Asks for the next update, if one is to be made, or looks how far it is. */
export async function nextUpdate(round: EksRound): Promise<ProviderAnswer | undefined> {
  const update = pendingUpdate(round);
  if (update === undefined) return undefined;
  const of = hashOf([round.work.cluster.id, update]);
  const last = lastTry(round, update);
  const known = last?.of === of ? last : undefined;
  if (known?.id !== undefined && known.endedAtMs === undefined) {
    const looked = await lookAt(round, update, known);
    return answerOf(update, looked);
  }
  if (known?.failure !== undefined && isTooSoon(round, known)) return answerOf(update, known);
  // One of which nobody heard is asked for once more, by its own token.
  const isUnheard = known !== undefined && known.endedAtMs === undefined;
  const next: UpdateTry = isUnheard
    ? known
    : {
        of,
        attempt: (last?.attempt ?? 0) + 1,
        ...(known?.failure === undefined ? {} : { failedBefore: known.failure }),
      };
  await remember(round, update, next);
  const id = await ask(round, update, hashOf([of, next.attempt]).slice(0, 40));
  if (id !== undefined) await remember(round, update, { ...next, id });
  return answerOf(update, next);
}

/** Undefined when something is under way, which may be this very update. */
async function ask(
  { aws, name, work }: EksRound,
  update: EksUpdate,
  clientRequestToken: string,
): Promise<string | undefined> {
  const answer = await work.call(
    `update ${update.kind === "control plane" ? "cluster" : update.group}`,
    async () => {
      const busy = unless("ResourceInUseException");
      if (update.kind === "control plane") {
        const { version } = update;
        return aws.send("eks:UpdateClusterVersion", { name, version, clientRequestToken }).catch(busy);
      }
      const group = { clusterName: name, nodegroupName: update.group, clientRequestToken };
      return update.kind === "settings"
        ? aws.send("eks:UpdateNodegroupConfig", { ...group, ...update.change }).catch(busy)
        : aws.send("eks:UpdateNodegroupVersion", { ...group, version: update.version }).catch(busy);
    },
  );
  return answer?.update?.id;
}

/** What has become of a try. One that AWS does not know any more has ended, too. */
async function lookAt(round: EksRound, update: EksUpdate, known: UpdateTry): Promise<UpdateTry> {
  const { aws, name, work } = round;
  const answer = await aws
    .send("eks:DescribeUpdate", {
      name,
      updateId: known.id,
      ...(update.kind === "control plane" ? {} : { nodegroupName: update.group }),
    })
    .catch(unless("ResourceNotFoundException"));
  const { status, errors = [] } = answer?.update ?? {};
  if (status === "InProgress") return known;
  const hasFailed = status === "Failed" || status === "Cancelled";
  const ended = { ...known, endedAtMs: work.clock.now(), ...(hasFailed ? { failure: wordsOf(errors) } : {}) };
  await remember(round, update, ended);
  return ended;
}

function wordsOf(errors: NonNullable<Update["errors"]>): string {
  const words = errors.map(({ errorCode = "Unknown", errorMessage = "", resourceIds = [] }) => {
    const things = resourceIds.length === 0 ? "" : ` (${resourceIds.join(", ")})`;
    return `${errorCode}: ${errorMessage}${things}`;
  });
  return words.length === 0 ? "AWS does not say why." : shortened(words.join(" "), longestFailure);
}

function isTooSoon({ work }: EksRound, { endedAtMs = 0 }: UpdateTry): boolean {
  const ageMs = work.clock.now() - endedAtMs;
  return ageMs >= 0 && ageMs < againMs;
}

function answerOf(update: EksUpdate, { failure, failedBefore }: UpdateTry): ProviderAnswer {
  const text = updateText(update);
  if (failure !== undefined) {
    const message = `${text} That failed: ${failure} It is tried again after ten minutes.`;
    return { state: "blocked", reason: "UpdateFailed", message, retryAfterMs: blockedMs };
  }
  const message = failedBefore === undefined ? text : `${text} The last try failed: ${failedBefore}`;
  return { state: "updating", reason: "Updating", message, retryAfterMs: pollMs };
}

function recordOf({ records }: EksRound, update: EksUpdate): ResourceRecord | undefined {
  return records.get(update.kind === "control plane" ? "cluster" : `nodes-${update.group}`);
}

function lastTry(round: EksRound, update: EksUpdate): UpdateTry | undefined {
  const last = recordOf(round, update)?.attributes["update"];
  return isRecord(last) ? readTry(last) : undefined;
}

function readTry({ of, attempt, id, failure, endedAtMs, failedBefore }: Record<string, unknown>): UpdateTry {
  return {
    of: String(of),
    attempt: Number(attempt),
    ...(typeof id === "string" ? { id } : {}),
    ...(typeof failure === "string" ? { failure } : {}),
    ...(typeof endedAtMs === "number" ? { endedAtMs } : {}),
    ...(typeof failedBefore === "string" ? { failedBefore } : {}),
  };
}

async function remember(round: EksRound, update: EksUpdate, last: UpdateTry): Promise<void> {
  const record = recordOf(round, update);
  if (record === undefined) return;
  await saveRecord(round, { ...record, attributes: { ...record.attributes, update: last } });
}

function hashOf(value: unknown): string {
  return createHash("sha256").update(JSON.stringify(value)).digest("hex");
}
