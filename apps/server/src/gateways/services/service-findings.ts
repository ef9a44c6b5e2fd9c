import type { WorkloadInstance } from "@bowline/api";
import { findCondition } from "@bowline/runtime";

import { missing, type Finding } from "../check.ts";
import { serviceName, serviceTitle, type SupportService } from "./support-service.ts";

/** What is still to come, in the words of the WorkloadInstance; undefined when it is ready. */
export function notReady(
  service: SupportService,
  { metadata, status }: Pick<WorkloadInstance, "metadata" | "status">,
): Finding | undefined {
  const ready = findCondition(status.conditions, "Ready");
  const isCurrent = ready?.observedGeneration === metadata.generation;
  if (isCurrent && ready.status === "True") return undefined;
  const why = isCurrent ? ready.message || ready.reason : "it has yet to be applied.";
  return installing(service, `is being installed by WorkloadInstance ${serviceName(service)}: ${why}`);
}

export function beingRemoved(service: SupportService): Finding {
  const name = serviceName(service);
  return installing(
    service,
    `is being removed by WorkloadInstance ${name}, and is installed again after that.`,
  );
}

function installing(service: SupportService, what: string): Finding {
  return missing("InstallingService", `${serviceTitle(service)} ${what}`);
}

/** Somebody has to do something first. */
export function notInstalled(service: SupportService, why: string): Finding {
  return missing("ServiceNotInstalled", `${serviceTitle(service)} cannot be installed: ${why}`);
}

export function notGrantedText(user: string, cluster: string): string {
  return `User "${user}" has no AccessGrant for cluster ${cluster}.`;
}

export function nobodyText(definition: string): string {
  return `Nobody is known to have written WorkloadDefinition "${definition}"; write it again, or set gateways.user.`;
}
