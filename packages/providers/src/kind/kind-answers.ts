import type { ProviderAnswer } from "../provider.ts";
import type { KindFailure } from "./kind-failures.ts";
import type { KindSituation } from "./kind-situation.ts";
import { kindStep } from "./kind-steps.ts";

const lookAgainMs = 2000;
/** A little longer than a resource has to be missed. */
export const missedAgainMs = 10_100;

export function creating(name: string, { own }: KindSituation, log = ""): ProviderAnswer {
  const names = own.map((node) => node.name).join(", ");
  return {
    state: "creating",
    reason: "CreatingNodes",
    message: names === "" ? `kind makes ${name}.` : `kind makes ${name}; there are ${names}.`,
    step: kindStep(log),
    retryAfterMs: lookAgainMs,
  };
}

export function deleting({ own }: KindSituation): ProviderAnswer {
  const names = own.map(({ name }) => name);
  const isThere = names.length > 0;
  return {
    state: "deleting",
    reason: "DeletingCluster",
    message: isThere ? `Being deleted: ${names.join(", ")}.` : "It is looked for once more.",
    retryAfterMs: isThere ? lookAgainMs : missedAgainMs,
  };
}

export function nameTaken(name: string): ProviderAnswer {
  const message = `There is a kind cluster ${name} already, which was not made for this cluster. Nothing of it is touched: delete it, or give this one another name.`;
  return { state: "blocked", reason: "NameTaken", message };
}

export function containersStopped(names: string): ProviderAnswer {
  const message = `Containers were stopped, as by a reboot, and are started again: ${names}.`;
  return { state: "updating", reason: "ContainersStopped", message, retryAfterMs: lookAgainMs };
}

/** A failed attempt is followed by the next one after 1, 2, 4 minutes, and then every 8. */
export function failed({ reason, message }: KindFailure, attempt: number): ProviderAnswer {
  return { state: "blocked", reason, message, retryAfterMs: 60_000 * 2 ** Math.min(attempt - 1, 3) };
}
