import type { Cluster, ClusterPlan } from "@bowline/api";
import { BowlineError, errorCodes, shortened, type Clock, type Logger } from "@bowline/core";
import type { ProviderPlan } from "@bowline/providers";
import type { Store } from "@bowline/store";

import { unavailableText } from "../controllers/cluster-controller.ts";
import { credentialValues, type Providers } from "./provider-round.ts";
import { ShownSecrets } from "./shown-secrets.ts";

export interface PlanTools {
  readonly store: Pick<Store, "objects" | "installationId">;
  readonly providers: Providers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Of a cluster that has no object, and nothing outside. */
const noId = "00000000-0000-0000-0000-000000000000";
const maxSteps = 1_000;
const maxStepLength = 1_024;

/** What would be made for a cluster, and what it costs; nothing is, by whatever a provider does. */
export async function planCluster(
  { store, providers, clock, logger }: PlanTools,
  {
    metadata,
    spec,
  }: Pick<Cluster, "spec"> & { readonly metadata: Pick<Cluster["metadata"], "name" | "labels"> },
  signal: AbortSignal,
): Promise<ClusterPlan> {
  if (spec.provider === "existing") return { provider: "existing", steps: [] };
  const provider = providers.get(spec.provider);
  if (provider === undefined) {
    throw new BowlineError("Conflict", unavailableText(spec.provider), {
      retryable: false,
      details: { reason: "ProviderUnavailable" },
    });
  }
  const secrets = new ShownSecrets();
  const refuse = (): Promise<never> =>
    Promise.reject(
      new BowlineError("Internal", `A plan of the provider "${provider.name}" wanted to make something.`),
    );
  try {
    const plan = await provider.plan({
      cluster: { id: noId, name: metadata.name, labels: metadata.labels, spec },
      installation: await store.installationId(),
      records: { list: () => Promise.resolve([]), put: refuse },
      call: refuse,
      credential: async (name) => {
        const values = await credentialValues(store, name);
        secrets.add(values);
        return values;
      },
      clock,
      logger: logger.child({ provider: provider.name, cluster: metadata.name }),
      signal,
    });
    return {
      provider: provider.name,
      ...shownPlan({ ...plan, steps: plan.steps.map((step) => secrets.hide(step)) }),
    };
  } catch (thrown) {
    throw toldWithReason(secrets.hideIn(thrown));
  }
}

/** What a provider gives a reason for is written for people: as a failure of the server nobody would be told of it. */
function toldWithReason(thrown: unknown): unknown {
  if (!(thrown instanceof BowlineError) || typeof thrown.details?.["reason"] !== "string") return thrown;
  if (errorCodes[thrown.code].httpStatus !== 500) return thrown;
  return new BowlineError("ReconcileStalled", thrown.message, { details: thrown.details, cause: thrown });
}

function shownPlan({ steps, hourlyCost, expectedSeconds }: ProviderPlan): Omit<ClusterPlan, "provider"> {
  const cost = costText(hourlyCost);
  return {
    steps: steps
      .slice(0, maxSteps)
      .map((step) => shortened(step.replaceAll(/\p{Cc}+/gu, " "), maxStepLength)),
    ...(cost === undefined ? {} : { hourlyCost: cost }),
    ...(expectedSeconds === undefined ? {} : { expectedSeconds: Math.max(0, Math.round(expectedSeconds)) }),
  };
}

/** `0.34 USD`, as people read it; nothing where nobody knows. What is cheap has more digits: a month of it adds up. */
export function costText(hourlyCost: ProviderPlan["hourlyCost"] | undefined): string | undefined {
  if (hourlyCost === undefined || !Number.isFinite(hourlyCost.amount)) return undefined;
  return `${hourlyCost.amount.toFixed(4).replace(/0{1,2}$/u, "")} ${hourlyCost.currency}`;
}
