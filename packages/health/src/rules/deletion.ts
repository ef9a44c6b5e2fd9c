import { conditionsIn, explanation, listAt, textAt, type Facts } from "../facts/read-facts.ts";
import { degraded, progressing, type Verdict } from "../verdict.ts";

/** The time given to pods ends with `deletionTimestamp`; this long after it, nobody is at work any more. */
const stuckAfterMs = 5 * 60 * 1000;

/** The verdict on an object that is being deleted; undefined for one that is not. Without a time none is stuck. */
export function judgeDeletion(facts: Facts, now: Date | undefined): Verdict | undefined {
  const since = textAt(facts, "deletion", "at");
  const isTerminating =
    textAt(facts, "kind") === "Namespace" && textAt(facts, "status", "phase") === "Terminating";
  if (since === "" && !isTerminating) return undefined;
  const failure = deletionFailure(facts);
  if (failure !== undefined) return failure;
  const finalizers = listAt(facts, "deletion", "finalizers").filter((name) => typeof name === "string");
  const waitsFor =
    finalizers.length === 0 ? "" : ` It waits for whoever removes ${finalizers.slice(0, 3).join(", ")}.`;
  const remaining = remainingContent(facts);
  const lateMs = now === undefined ? 0 : now.getTime() - Date.parse(since);
  if (lateMs > stuckAfterMs) {
    const minutes = Math.floor(lateMs / 60_000);
    return degraded(
      "DeletionStuck",
      `It should have been gone ${minutes} minutes ago and is still there.${waitsFor}${remaining}`,
    );
  }
  return progressing("Terminating", `It is being deleted.${waitsFor}${remaining}`);
}

/** A namespace says in conditions what stands in its way. */
function deletionFailure(facts: Facts): Verdict | undefined {
  const failed = conditionsIn(facts["status"]).find(
    ({ type, status }) => /^NamespaceDeletion.*Failure$/u.test(type) && status === "True",
  );
  return failed && degraded(failed.reason || failed.type, `It cannot be deleted: ${explanation(failed)}`);
}

function remainingContent(facts: Facts): string {
  const messages = conditionsIn(facts["status"])
    .filter(({ type, status }) => /^Namespace.*Remaining$/u.test(type) && status === "True")
    .map(explanation);
  return messages.length === 0 ? "" : ` ${messages.join("; ")}.`;
}
