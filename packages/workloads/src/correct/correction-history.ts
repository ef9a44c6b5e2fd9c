/** The times at which one object was set right, kept by whoever calls `correct`. */
export interface CorrectionHistory {
  /** Milliseconds, the latest last; only as many as decide anything. */
  readonly times: readonly number[];
  /** Those who changed it the last time. */
  readonly changedBy: readonly string[];
  /** It is fought about: nobody sets it right until somebody has looked, and the history begins anew. */
  readonly isContested: boolean;
}

export const noCorrections: CorrectionHistory = { times: [], changedBy: [], isContested: false };

const firstDelayMs = 1_000;
const longestDelayMs = 300_000;
const windowMs = 600_000;
/** One more within the window is a fight. */
const mostInWindow = 5;

/**
 * - `now`: it may be set right
 * - `later`: it was set right a moment ago
 * - `contested`: somebody sets it back each time
 */
export type CorrectionVerdict =
  | { readonly verdict: "now" }
  | { readonly verdict: "later"; readonly afterMs: number }
  | { readonly verdict: "contested"; readonly changedBy: readonly string[] };

export function judgeCorrection(history: CorrectionHistory, nowMs: number): CorrectionVerdict {
  const { changedBy, isContested } = history;
  if (isContested) return { verdict: "contested", changedBy };
  const recent = history.times.filter((time) => time > nowMs - windowMs);
  const last = recent.at(-1);
  if (last === undefined) return { verdict: "now" };
  const delayMs = Math.min(firstDelayMs * 2 ** (recent.length - 1), longestDelayMs);
  const afterMs = last + delayMs - nowMs;
  return afterMs > 0 ? { verdict: "later", afterMs } : { verdict: "now" };
}

/** The history after the object was set right once more. */
export function withCorrection(
  { times, isContested }: CorrectionHistory,
  nowMs: number,
  changedBy: readonly string[],
): CorrectionHistory {
  const recent = [...times.filter((time) => time > nowMs - windowMs), nowMs].slice(-(mostInWindow + 1));
  return { times: recent, changedBy, isContested: isContested || recent.length > mostInWindow };
}
