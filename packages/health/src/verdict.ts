/** Every state that an object, a cluster or an instance can be in, the worst first. */
export const healths = ["Degraded", "Missing", "Unknown", "Progressing", "Suspended", "Healthy"] as const;

/**
 * - `Degraded`: something is wrong that does not go away by waiting
 * - `Missing`: it should be there and is not
 * - `Unknown`: nothing can be said, or what can be said is too old
 * - `Progressing`: on its way to where it should be
 * - `Suspended`: somebody has put it to rest
 * - `Healthy`: as it should be
 */
export type Health = (typeof healths)[number];

export interface Verdict {
  readonly health: Health;
  /** A word in CamelCase for programs. */
  readonly reason: string;
  /** A sentence for people. */
  readonly message: string;
}

/** Messages quote what controllers wrote, which may be whole logs. */
const maxMessageChars = 600;
const maxReasonChars = 64;

/**
 * Makes a verdict of words that anybody may have written: the reason becomes one word in CamelCase, the message a
 * sentence of one line.
 */
export function verdict(health: Health, reason: string, message: string): Verdict {
  return { health, reason: camelCase(reason) ?? health, message: sentence(message) };
}

export const healthy = (reason: string, message: string): Verdict => verdict("Healthy", reason, message);
export const progressing = (reason: string, message: string): Verdict =>
  verdict("Progressing", reason, message);
export const degraded = (reason: string, message: string): Verdict => verdict("Degraded", reason, message);
export const suspended = (reason: string, message: string): Verdict => verdict("Suspended", reason, message);

/** `PENDING_RERUN` becomes `PendingRerun`; `OOMKilled` stays. */
function camelCase(text: string): string | undefined {
  const cased = /[a-z]/u.test(text) ? text : text.toLowerCase();
  const words = cased.match(/[A-Za-z0-9]+/gu) ?? [];
  const joined = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1)).join("");
  return /^[A-Z]/u.test(joined) ? joined.slice(0, maxReasonChars) : undefined;
}

function sentence(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ").trim();
  const short =
    line.length > maxMessageChars ? `${line.slice(0, maxMessageChars).toWellFormed().trimEnd()} …` : line;
  return /[.!?…]$/u.test(short) ? short : `${short}.`;
}

/** The worse of two verdicts; the first where they are equally bad. */
function worse(one: Verdict, other: Verdict): Verdict {
  return healths.indexOf(other.health) < healths.indexOf(one.health) ? other : one;
}

/**
 * One verdict for many: of the parts of a resource, the resources in a cluster, the clusters of an instance. It is the
 * worst of them, the first of equals, so that the same verdicts in the same order always give the same answer. A known
 * fault comes before a gap in knowledge, and a gap before everything that is well: old green must not hide it. Of
 * nothing, nothing is known.
 */
export function rollUp(verdicts: Iterable<Verdict>): Verdict {
  let worst: Verdict | undefined;
  let count = 0;
  let alike = 0;
  for (const next of verdicts) {
    count++;
    if (worst === undefined || worse(worst, next) !== worst) {
      worst = next;
      alike = 1;
    } else if (next.health === worst.health) {
      alike++;
    }
  }
  if (worst === undefined) return verdict("Unknown", "NothingReported", "Nothing has been reported yet.");
  if (count === 1) return worst;
  if (worst.health === "Healthy") return healthy("AllHealthy", `All ${count} are healthy.`);
  return verdict(worst.health, worst.reason, `${alike} of ${count}: ${worst.message}`);
}
