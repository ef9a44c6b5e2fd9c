import { Cluster, formatAge, type ApiObject } from "@bowline/api";

import { printableLine } from "../output/terminal-text.ts";

type Provisioning = Cluster["status"]["provisioning"];

/** How far the provider of a cluster is: `step 2 of 3, Making the nodes (usually 1m)`; nothing where it takes no steps. */
export function describeStep(provisioning: Provisioning): string | undefined {
  if (provisioning?.step === undefined) return undefined;
  const { number, of, text, expectedSeconds } = provisioning.step;
  const usually = expectedSeconds === undefined ? "" : ` (usually ${formatAge(expectedSeconds * 1_000)})`;
  return `step ${number} of ${of}, ${printableLine(text)}${usually}`;
}

/** The same for any object; nothing for those that no provider makes. */
export function stepOf(object: ApiObject): string | undefined {
  return isCluster(object) ? describeStep(object.status.provisioning) : undefined;
}

function isCluster(object: ApiObject): object is ApiObject & Cluster {
  return object.kind === Cluster.kind;
}
