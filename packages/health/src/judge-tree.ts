import { healths, verdict, type Verdict } from "./verdict.ts";

/** An object and the verdict on it alone. */
export interface JudgedObject {
  readonly kind: string;
  readonly name: string;
  readonly verdict: Verdict;
}

/**
 * The verdict on an object together with those that it owns, directly or through others, in any order.
 *
 * An object that is well, at rest or gone speaks for itself: a Deployment all of whose pods are there is healthy, whatever
 * an old pod of it does. One that is on its way, or in trouble, tells what it counts and not why; its pods know. So the
 * worst fault among them takes the place of its words: a rollout that waits for an image nobody can pull is Degraded, and
 * the image is the reason. An object of which nothing is known is as those that it owns.
 */
export function judgeTree(root: JudgedObject, derived: Iterable<JudgedObject>): Verdict {
  const own = root.verdict;
  if (own.health !== "Progressing" && own.health !== "Degraded" && own.health !== "Unknown") return own;
  const [worst, ...others] = [...derived].toSorted(byWeight);
  if (worst === undefined) return own;
  const { health, reason, message } = worst.verdict;
  if (health !== "Degraded" && own.health !== "Unknown") return own;
  const alike = others.filter((other) => other.kind === worst.kind && other.verdict.reason === reason).length;
  const more = alike === 0 ? "" : ` and ${alike} more`;
  return verdict(health, reason, `${worst.kind} ${worst.name}${more}: ${message}`);
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
