import type { Relapse } from "./rules/crashes.ts";
import { healths, verdict, type Health, type Verdict } from "./verdict.ts";

/** An object and the verdict on it alone. */
export interface JudgedObject {
  readonly kind: string;
  readonly name: string;
  readonly verdict: Verdict;
  /** Of a pod that does well and has failed a moment ago. */
  readonly relapse?: Relapse | undefined;
}

/** What keeps a pod from being ready although it runs: its owner can only count, and would wait in silence. */
const probeReasons: ReadonlySet<string> = new Set(["StartupProbeFailing", "ReadinessProbeFailing"]);

/**
 * The verdict on an object together with those that it owns, directly or through others, in any order.
 *
 * An object that is well, at rest or gone speaks for itself: a Deployment all of whose pods are there is healthy, whatever
 * an old pod of it does. One that is on its way, or in trouble, tells what it counts and not why; its pods know. So the
 * worst fault among them takes the place of its words: a rollout that waits for an image nobody can pull is Degraded, and
 * the image is the reason. Where the pods run and no probe lets them in, that is the reason, and no fault yet. An object
 * of which nothing is known is as those that it owns.
 *
 * A container that fails again and again runs, and is ready, for a moment each time. An object that still waits for its
 * pods goes on telling of it, and one that has what it waits for does so until the pod has run for a while.
 */
export function judgeTree(root: JudgedObject, derived: Iterable<JudgedObject>): Verdict {
  const owned = [...derived];
  const isRelied = ![root, ...owned].some(({ relapse }) => relapse?.isFresh === true);
  const { verdict: own } = isRelied ? root : relapsed(root);
  const isAtEase = own.health === "Healthy" && isRelied;
  if (isAtEase || own.health === "Suspended" || own.health === "Missing") return own;
  const sorted = owned.map(relapsed).toSorted(byWeight);
  const [worst] = sorted;
  if (worst === undefined) return own;
  if (worst.verdict.health === "Degraded" || own.health === "Unknown")
    return inWordsOf(worst, sorted, worst.verdict.health);
  const unready = sorted.find(({ kind, verdict }) => kind === "Pod" && probeReasons.has(verdict.reason));
  return unready === undefined ? own : inWordsOf(unready, sorted, own.health);
}

/** With the verdict on the failure in the place of that on the moment since. */
function relapsed(object: JudgedObject): JudgedObject {
  return object.relapse === undefined ? object : { ...object, verdict: object.relapse.verdict };
}

function inWordsOf(
  { kind, name, verdict: { reason, message } }: JudgedObject,
  all: readonly JudgedObject[],
  health: Health,
): Verdict {
  const others = all.filter((other) => other.kind === kind && other.verdict.reason === reason).length - 1;
  const more = others === 0 ? "" : ` and ${others} more`;
  return verdict(health, reason, `${kind} ${name}${more}: ${message}`);
}

/** The worst first; of equals a pod, because it has the words of its containers, and then by name: always the same. */
function byWeight(one: JudgedObject, other: JudgedObject): number {
  return (
    healths.indexOf(one.verdict.health) - healths.indexOf(other.verdict.health) ||
    Number(other.kind === "Pod") - Number(one.kind === "Pod") ||
    compareText(one.kind, other.kind) ||
    compareText(one.name, other.name)
  );
}

function compareText(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
