import type { ObjectProblem } from "../object-result.ts";
import type { Awaited } from "./steps.ts";

/** What the agent has told of an object since it was applied. */
export interface ReportedObject {
  readonly isHealthy: boolean;
  /** Everything in the cluster was told, and not this. */
  readonly isMissing: boolean;
  /** Of a hook that has ended. */
  readonly end?: "succeeded" | "failed" | undefined;
  /** How it does, for people. */
  readonly message: string;
}

/** How far the objects that others wait for are. */
export interface Progress<T> {
  readonly hasSucceeded: (hook: T) => boolean;
  readonly isHealthy: (object: T) => boolean;
  readonly isApplied: (object: T) => boolean;
  /** `Deployment shop/web`. */
  readonly labelOf: (item: T) => string;
}

/** Why nothing new of a step is sent yet; undefined when it may be. */
export function closedGate<T>(awaited: Awaited<T>, progress: Progress<T>): ObjectProblem | undefined {
  const hooks = awaited.hooks.filter((hook) => !progress.hasSucceeded(hook));
  if (hooks.length > 0) {
    const message = `It is applied once ${listed(hooks, progress)} has succeeded.`;
    return { reason: "WaitingForHook", message };
  }
  const unhealthy = awaited.healthy.filter((object) => !progress.isHealthy(object));
  if (unhealthy.length > 0) {
    const message = `It is applied once what comes before it is healthy: ${listed(unhealthy, progress)}.`;
    return { reason: "WaitingForHealth", message };
  }
  const missing = awaited.applied.filter((object) => !progress.isApplied(object));
  if (missing.length === 0) return undefined;
  const message = `It is applied once what comes before it is in the cluster: ${listed(missing, progress)}.`;
  return { reason: "WaitingForHealth", message };
}

/** As many as are named; the others are counted. */
const named = 3;

function listed<T>(items: readonly T[], { labelOf }: Progress<T>): string {
  const names = items.slice(0, named).map(labelOf).join(", ");
  return items.length > named ? `${names} and ${items.length - named} more` : names;
}
