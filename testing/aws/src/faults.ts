import { AwsFailure } from "./aws-failure.ts";

/**
 * - `throttle`, `error`: nothing is done; the answer is that of a service with too much to do, or of a broken one.
 * - `deny`: as if no policy allowed it.
 * - `lose-answer`: it is done, and the connection ends before the answer.
 * - `refuse`: nothing is done; the answer is the given code.
 */
export type AwsFault =
  | { readonly kind: "throttle" | "error" | "deny" | "lose-answer" }
  | { readonly kind: "refuse"; readonly code: string; readonly message: string };

export interface PlannedFault {
  /** `ec2:CreateVpc`; missing for any call, with a `*` at the end for those that begin so. */
  readonly action?: string;
  readonly fault: AwsFault;
  /** How often; 1 if missing. */
  readonly times?: number;
}

/** Faults that wait for their call. */
export class AwsFaults {
  readonly #planned: { readonly plan: PlannedFault; left: number }[] = [];

  /** Returns what takes it back. */
  plan(plan: PlannedFault): () => void {
    const planned = { plan, left: plan.times ?? 1 };
    this.#planned.push(planned);
    return () => {
      planned.left = 0;
    };
  }

  take(action: string): AwsFault | undefined {
    const found = this.#planned.find(({ plan, left }) => left > 0 && fits(plan.action, action));
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.plan.fault;
  }
}

function fits(pattern: string | undefined, action: string): boolean {
  if (pattern === undefined) return true;
  return pattern.endsWith("*") ? action.startsWith(pattern.slice(0, -1)) : action === pattern;
}

/** The codes differ between the services. */
export function throttled(service: string): AwsFailure {
  if (service === "route53") return new AwsFailure("Throttling", "Rate exceeded", 400);
  return service === "ec2"
    ? new AwsFailure("RequestLimitExceeded", "Request limit exceeded.", 503)
    : new AwsFailure("ThrottlingException", "Rate exceeded", 400);
}
