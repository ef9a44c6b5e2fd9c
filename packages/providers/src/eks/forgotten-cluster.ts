import type { ProviderAnswer } from "../provider.ts";
import { AwsError } from "./aws/aws-api.ts";
import { describeCluster, isOwn } from "./cluster-step.ts";
import { sweepAnswer } from "./eks-deletion.ts";
import { answerOf } from "./eks-failure.ts";
import type { EksRound } from "./eks-round.ts";
import { recoverRecords } from "./recover-records.ts";
import { sweep } from "./sweep.ts";

const settleMs = 10_000;
export const recovered: ProviderAnswer = {
  state: "deleting",
  reason: "DeletingCluster",
  message: "There is more of it than was remembered, by its marks; that is deleted, too.",
  retryAfterMs: settleMs,
};

/** Of people, or of keys: time mends none of these. */
const refusals = new Set(["NotPermitted", "CredentialMissing"]);

/**
 * What comes before a deletion that goes by the records, as a restored backup may be older than all of them, or than the
 * control plane, whose machines would hold the network for ever. Undefined where they say what there is.
 */
export async function lookForForgotten(round: EksRound): Promise<ProviderAnswer | undefined> {
  if (round.records.size === 0) return lookForAll(round);
  if (round.records.has("cluster")) return undefined;
  if (!isOwn(round, await describeCluster(round))) return undefined;
  return (await recoverRecords(round)) > 0 ? recovered : undefined;
}

async function lookForAll(round: EksRound): Promise<ProviderAnswer> {
  try {
    return (await recoverRecords(round)) > 0 ? recovered : sweepAnswer(await sweep(round));
  } catch (error) {
    const answer = answerOf(error, "deleting", "DeletingCluster");
    const isRefused = refusals.has(answer.reason ?? "");
    // A region that there is not has no address: a cluster in it could be neither made nor deleted.
    const isNowhere = error instanceof AwsError && error.code === "ENOTFOUND";
    if (round.work.wasBegun === false && (isRefused || isNowhere)) return { state: "gone" };
    return isRefused ? { ...answer, message: `${answer.message} ${onlyAwsKnows}` } : answer;
  }
}

const onlyAwsKnows =
  "There are no records of the cluster, so that only AWS can tell what there is of it: let Bowline look there or, to leave what may be there where it is, set spec.deletionPolicy to orphan.";
