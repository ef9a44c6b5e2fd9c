import { asRecord } from "@bowline/core";

import { factLimits } from "../model/limits.ts";
import { nodeKind, type NodeRef } from "../model/node.ts";
import { self, type FactsWriter } from "./facts-writer.ts";
import { groupOf, listOf, nameOf, textOf, trueOf, type FactFields } from "../model/read-fields.ts";

/**
 * Annotations that people ask about. All others stay where they are: among them are copies of whole objects, and
 * whatever else programs keep for themselves.
 */
export const chosenAnnotations = [
  // Whom to ask, and what it is.
  "a8r.io/owner",
  "kubernetes.io/description",
  "owner",
  "team",
  // Who put it there.
  "argocd.argoproj.io/tracking-id",
  "meta.helm.sh/release-name",
  "meta.helm.sh/release-namespace",
  // Identities outside of the cluster that a ServiceAccount becomes.
  "azure.workload.identity/client-id",
  "eks.amazonaws.com/role-arn",
  "iam.gke.io/gcp-service-account",
  // Whose token is in a Secret, and where a certificate comes from.
  "kubernetes.io/service-account.name",
  "cert-manager.io/certificate-name",
  "cert-manager.io/cluster-issuer",
  "cert-manager.io/issuer",
  // From where a Service or an Ingress is reached.
  "external-dns.alpha.kubernetes.io/hostname",
  "kubernetes.io/ingress.class",
  "networking.gke.io/load-balancer-type",
  "service.beta.kubernetes.io/aws-load-balancer-internal",
  "service.beta.kubernetes.io/aws-load-balancer-scheme",
  "service.beta.kubernetes.io/azure-load-balancer-internal",
] as const;

/** The fields of metadata that `describeMetadata` looks at. */
export const metadataFields: FactFields = {
  creationTimestamp: true,
  deletionTimestamp: true,
  labels: true,
  annotations: Object.fromEntries(chosenAnnotations.map((name) => [name, true] as const)),
  ownerReferences: { apiVersion: true, kind: true, name: true, uid: true, controller: true },
};

/** Kinds of Kubernetes that are in no namespace: an owner is named without saying where it is. */
const clusterKinds: ReadonlySet<string> = new Set([
  "ClusterRole",
  "ClusterRoleBinding",
  "CSIDriver",
  "CSINode",
  "GatewayClass",
  "IngressClass",
  "Namespace",
  "Node",
  "PersistentVolume",
  "StorageClass",
  "VolumeAttachment",
]);

/** What every object says: its labels, since when it is there, and who owns it. */
export function describeMetadata(writer: FactsWriter, metadata: Readonly<Record<string, unknown>>): void {
  writer.describe({
    createdAt: textOf(metadata["creationTimestamp"]),
    isTerminating: trueOf(typeof metadata["deletionTimestamp"] === "string"),
    annotations: annotationsOf(asRecord(metadata["annotations"])),
  });
  writer.describe({ labels: labelsOf(writer, asRecord(metadata["labels"])) });
  for (const [index, owner] of listOf(metadata["ownerReferences"]).entries()) {
    describeOwner(writer, asRecord(owner), `/metadata/ownerReferences/${index}`);
  }
}

/** Names as they are: a label that cannot be told whole is not told, or it would be another one. */
function labelsOf(writer: FactsWriter, labels: Readonly<Record<string, unknown>>): Record<string, string> {
  const entries = Object.entries(labels);
  const kept = entries.slice(0, factLimits.listItems).flatMap(([name, value]) => {
    // No label begins with an underscore, and assigning this one would change what an object is.
    if (nameOf(name) === undefined || name === "__proto__") return [];
    if (value === "") return [[name, ""] as const];
    const text = nameOf(value);
    return text === undefined ? [] : [[name, text] as const];
  });
  if (kept.length < entries.length) writer.cut("labels", entries.length - kept.length);
  return Object.fromEntries(kept);
}

function annotationsOf(annotations: Readonly<Record<string, unknown>>): Record<string, string> | undefined {
  let kept: Record<string, string> | undefined;
  for (const name of chosenAnnotations) {
    const text = Object.hasOwn(annotations, name) ? textOf(annotations[name]) : undefined;
    if (text === undefined) continue;
    kept ??= {};
    kept[name] = text;
  }
  return kept;
}

function describeOwner(writer: FactsWriter, owner: Readonly<Record<string, unknown>>, at: string): void {
  const kind = nodeKind(groupOf(owner["apiVersion"]), nameOf(owner["kind"]) ?? "");
  const name = nameOf(owner["name"]) ?? "";
  writer.edge("OWNS", [ownerRef(kind, writer.node.namespace, name), self], at, {
    controller: trueOf(owner["controller"]),
    // Nobody knows here whether a custom resource is in a namespace; its uid finds it in any case.
    uid: kind.includes(".") ? nameOf(owner["uid"]) : undefined,
  });
}

function ownerRef(kind: string, namespace: string, name: string): NodeRef {
  return { kind, namespace: clusterKinds.has(kind) ? "" : namespace, name };
}
