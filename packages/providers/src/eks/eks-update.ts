import { BowlineError } from "@bowline/core";

import { minorVersion } from "./cluster-step.ts";
import { attributeOf, type EksRound } from "./eks-round.ts";
import { groupNameOf, groupStepOf } from "./nodegroup-step.ts";

/** What makes a cluster that works what its object says; one at a time. */
export type EksUpdate =
  | { readonly kind: "control plane"; readonly version: string }
  | { readonly kind: "nodes"; readonly group: string; readonly version: string }
  | { readonly kind: "settings"; readonly group: string; readonly change: object };

/** From the records, as they were seen last. Control plane first, then groups, and one minor version at a time. */
export function pendingUpdate(round: EksRound): EksUpdate | undefined {
  const { settings } = round;
  const version = attributeOf(round, "cluster", "version");
  for (const group of settings.nodeGroups) {
    const change = round.records.get(groupStepOf(group))?.attributes["change"];
    if (typeof change === "object" && change !== null) {
      return { kind: "settings", group: groupNameOf(group), change };
    }
  }
  if (settings.kubernetesVersion === undefined || version === undefined) return undefined;
  const [now, wanted] = [minorOf(version), minorOf(minorVersion(settings.kubernetesVersion))];
  if (wanted < now) {
    throw new BowlineError(
      "InvalidArgument",
      `The control plane has Kubernetes ${version}, and EKS never goes back to ${settings.kubernetesVersion}.`,
      { details: { reason: "VersionNotOffered" } },
    );
  }
  for (const group of settings.nodeGroups) {
    const ofGroup = attributeOf(round, groupStepOf(group), "version");
    if (ofGroup !== undefined && minorOf(ofGroup) < now) {
      return { kind: "nodes", group: groupNameOf(group), version };
    }
  }
  return wanted > now
    ? { kind: "control plane", version: version.replace(/\d+$/u, String(now + 1)) }
    : undefined;
}

export function updateText(update: EksUpdate): string {
  if (update.kind === "control plane") return `The control plane becomes Kubernetes ${update.version}.`;
  return update.kind === "nodes"
    ? `The nodes ${update.group} become Kubernetes ${update.version}.`
    : `The settings of the nodes ${update.group} change.`;
}

function minorOf(version: string): number {
  return Number(version.split(".")[1]);
}
