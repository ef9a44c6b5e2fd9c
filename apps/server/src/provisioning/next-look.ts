import type { ProviderAnswer } from "@bowline/providers";

import type { ProvisioningState } from "./provisioning-status.ts";

/** When a cluster is looked at again, where its provider does not say: nothing tells what happens outside. */
const lookAgainMs: Readonly<Record<ProvisioningState, number>> = {
  Pending: 1_000,
  Creating: 5_000,
  Provisioned: 10_000,
  Joining: 10_000,
  Ready: 5 * 60_000,
  Updating: 10_000,
  Blocked: 60_000,
  Lost: 5 * 60_000,
  Deleting: 5_000,
};

/** A provider may be wrong about time, too. */
const leastMs = 100;
const mostMs = 60 * 60_000;

export function untilNextLookMs(
  state: ProvisioningState,
  { state: answered, retryAfterMs }: ProviderAnswer,
): number {
  // Of a cluster that is there the provider does not know that its agent is waited for.
  const wanted = answered === "ready" && state !== "Ready" ? undefined : retryAfterMs;
  if (wanted === undefined || !Number.isFinite(wanted)) return lookAgainMs[state];
  return Math.min(mostMs, Math.max(leastMs, wanted));
}
