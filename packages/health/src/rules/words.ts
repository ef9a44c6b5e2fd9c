import type { Health } from "../verdict.ts";

/**
 * The vocabulary of states and reasons. Controllers write them as they like (`ConfigOutOfSync`, `PENDING_RERUN`,
 * `Setting up primary`), but nearly all choose from the same words. The first line that matches counts: a word for a
 * fault outweighs all others.
 */
const vocabulary: readonly (readonly [Health, RegExp])[] = [
  [
    "Degraded",
    /\b(?:fail(?:ed|s|ing|ures?)?|err(?:or|ors|ored)?|invalid|reject(?:ed|ion)?|denied|forbidden|unauthorized|refused|unable|cannot|could not|crash(?:ed|ing)?|unhealthy|degraded|stalled|stuck|not allowed|unsupported|non ?compliant|mismatch|expired|exceeded|timed out|timeout|conflict(?:s|ed|ing)?|corrupt(?:ed)?|broken|misconfigured|lost|violations?|warn(?:ing)?|red|fatal|fault(?:s|y|ed)?|dead|aborted|killed|evicted|no (?:valid|matching|controller)|oom)\b/u,
  ],
  ["Missing", /\b(?:missing|not found|absent|does not exist|not exist)\b/u],
  [
    "Suspended",
    /\b(?:paused|suspend(?:ed)?|stopped|disabled|hibernated?|halted|ignored|standby|dormant|scaled down)\b/u,
  ],
  [
    "Progressing",
    /\b(?:not (?:yet )?(?:ready|available|running|synced|healthy|compliant|accepted|found yet)|not yet|unready|unavailable|out of sync)\b/u,
  ],
  [
    "Progressing",
    /\b(?:pending|queued|submitted|wait|init|in progress|progress|retry|rerun|requested|yellow|unsettled)\b/u,
  ],
  // The field speaks of things under way in participles: provisioning, issuing, scaling, and whatever comes next.
  [
    "Progressing",
    /\b(?!(?:running|working|serving|listening|responding|existing|operating|binding|routing|networking|nothing|string|processing units|monitoring|scaling active)\b)[a-z]{3,}ing\b/u,
  ],
  ["Unknown", /\b(?:unknown|inconclusive|undetermined)\b/u],
  [
    "Healthy",
    /\b(?:running|ready|active|bound|succe(?:ss|eded|ssful|ssfully)|completed?|available|healthy|ok|green|established|accepted|valid|validated|synced|synchronized|in sync|up to date|deployed|provisioned|installed|exists?|online|normal|compliant|created|applied|enabled|operational|stable|done|finished|reconciled|registered|attached|assigned|admitted|pass(?:ed)?|serving|working)\b/u,
  ],
];

const harmless =
  /\b(?:no|without|0|zero) (?:\w+ )?(?:errors?|failures?|conflicts?|warnings?|violations?)\b/gu;

/** Longer texts are messages, in which any word may stand for anything. */
const maxChars = 200;

/** The health that a word or short phrase for a state stands for; undefined for words that nobody knows. */
export function soundsLike(text: string): Health | undefined {
  const plain = plainWords(text);
  return vocabulary.find(([, pattern]) => pattern.test(plain))?.[0];
}

const failureWords =
  /\b(?:fail(?:ed|s|ing|ure)?|errors?|invalid|denied|forbidden|unauthorized|refused|unable|cannot|could not|not allowed|unsupported|not found|does not exist|exceeded|timed out|crashed)\b/u;

/** Whether a message for people tells of a failure. */
export function tellsOfFailure(message: string): boolean {
  return failureWords.test(plainWords(message));
}

/** Whether a message begins with a failure, which a controller that is merely under way does not write. */
export function beginsWithFailure(message: string): boolean {
  return /^(?:fail|error|invalid|unable|cannot|could not)/u.test(plainWords(message));
}

/** Whether it tells of something under way. */
export function tellsOfProgress(message: string): boolean {
  return /\b(?:waiting|pending|in progress|creating|provisioning|reconciling|installing|not yet|updating|initializing|deploying|starting)\b/u.test(
    plainWords(message),
  );
}

/** `FailedGetScale` and `FAILED_GET_SCALE` as `failed get scale`. */
function plainWords(text: string): string {
  return text
    .slice(0, maxChars)
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1 $2")
    .replaceAll(/([A-Z])([A-Z][a-z])/gu, "$1 $2")
    .replaceAll(/[^A-Za-z0-9]+/gu, " ")
    .trim()
    .toLowerCase()
    .replaceAll(harmless, "");
}
