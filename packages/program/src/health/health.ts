import { BowlineError, redactText, withDeadline, type Clock } from "@bowline/core";

/** Returns when all is well; throws, with a sentence that says why, when not. */
export type HealthCheck = (signal: AbortSignal) => Promise<void> | void;

export interface HealthOptions {
  readonly clock: Clock;
  /** How long one check may take. */
  readonly checkLimitMs?: number;
}

export interface HealthCheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** Why it failed, on one line. */
  readonly reason?: string;
}

export interface HealthReport {
  readonly ok: boolean;
  readonly checks: readonly HealthCheckResult[];
}

interface NamedCheck {
  readonly run: HealthCheck;
  /** Set while it runs. A probe every second must not pile up runs of a check that hangs. */
  running: Promise<void> | undefined;
}

const longestReason = 300;
/** Kubelet waits one second by default. */
const defaultCheckLimitMs = 800;

/** Named checks that together say whether a process is alive, or ready. */
export class Health {
  readonly #options: HealthOptions;
  readonly #checks = new Map<string, NamedCheck>();

  constructor(options: HealthOptions) {
    this.#options = options;
  }

  /** Adds a check and returns what removes it. */
  add(name: string, run: HealthCheck): () => void {
    if (this.#checks.has(name))
      throw new BowlineError("InvalidArgument", `Health check "${name}" exists already.`);
    this.#checks.set(name, { run, running: undefined });
    return () => void this.#checks.delete(name);
  }

  /** Runs all checks at the same time. Never rejects. */
  async report(): Promise<HealthReport> {
    const checks = await Promise.all([...this.#checks].map(([name, check]) => this.#result(name, check)));
    return { ok: checks.every((check) => check.ok), checks };
  }

  async #result(name: string, check: NamedCheck): Promise<HealthCheckResult> {
    const { clock, checkLimitMs = defaultCheckLimitMs } = this.#options;
    const onTimeout = (): Error => new BowlineError("Timeout", `no answer within ${checkLimitMs} ms`);
    try {
      await withDeadline((signal) => runOnce(check, signal), { clock, limitMs: checkLimitMs, onTimeout });
      return { name, ok: true };
    } catch (thrown) {
      return { name, ok: false, reason: reasonOf(thrown) };
    }
  }
}

/** Joins a run that is still under way. */
function runOnce(check: NamedCheck, signal: AbortSignal): Promise<void> {
  const run = async (): Promise<void> => check.run(signal);
  check.running ??= run().finally(() => {
    check.running = undefined;
  });
  return check.running;
}

/** Probes answer anybody who asks, so what a failure says is searched for secrets. */
function reasonOf(thrown: unknown): string {
  return redactText(BowlineError.from(thrown).message).replace(/\s+/g, " ").trim().slice(0, longestReason);
}

/** The report as `?verbose` shows it, under the name that it was asked for by: `livez`, `readyz`. */
export function formatHealthReport(name: string, report: HealthReport): string {
  const lines = report.checks.map((check) =>
    check.ok ? `[+]${check.name} ok` : `[-]${check.name} failed: ${check.reason ?? "unknown"}`,
  );
  return [...lines, `${name} check ${report.ok ? "passed" : "failed"}`, ""].join("\n");
}
