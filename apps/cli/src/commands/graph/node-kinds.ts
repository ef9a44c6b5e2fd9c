import { BowlineError, didYouMean } from "@bowline/core";
import { graphKinds, nodeKind, pluralOf, sharedKinds } from "@bowline/graph";

/** A kind of nodes, as people may write it. */
export interface NodeKindNames {
  /** As nodes have it: `Secret`. */
  readonly kind: string;
  /** Undefined for custom resources, of which nobody knows here. */
  readonly isNamespaced: boolean | undefined;
  /** What may be typed for it, in small letters: first the singular and the plural. */
  readonly names: readonly string[];
}

/** Short names as kubectl has them. */
const shortNames: Readonly<Record<string, readonly string[]>> = {
  ConfigMap: ["cm"],
  ContainerImage: ["image", "images", "img"],
  CronJob: ["cj"],
  DaemonSet: ["ds"],
  Deployment: ["deploy"],
  Gateway: ["gtw"],
  Ingress: ["ing"],
  Namespace: ["ns"],
  NetworkPolicy: ["netpol"],
  Node: ["no"],
  PersistentVolume: ["pv"],
  PersistentVolumeClaim: ["pvc"],
  Pod: ["po"],
  ReplicaSet: ["rs"],
  Service: ["svc"],
  ServiceAccount: ["sa"],
  StatefulSet: ["sts"],
};

/** The kinds that every cluster may have, what is inside of pods, and what clusters share. */
export const nodeKinds: readonly NodeKindNames[] = [
  ...graphKinds.map(({ group, kind, namespaced }) => ({
    kind: nodeKind(group, kind),
    isNamespaced: namespaced ?? true,
  })),
  ...["Container", "Volume"].map((kind) => ({ kind, isNamespaced: true })),
  ...[...sharedKinds].map((kind) => ({ kind, isNamespaced: false })),
].map(({ kind, isNamespaced }) => {
  const singular = kind.toLowerCase();
  return { kind, isNamespaced, names: [singular, pluralOf(singular), ...(shortNames[kind] ?? [])] };
});

const byName = new Map(nodeKinds.flatMap((kind) => kind.names.map((name) => [name, kind] as const)));

/** The kind of which this is a name. */
export function findNodeKind(text: string): NodeKindNames | undefined {
  return byName.get(text.toLowerCase());
}

/** The kind that somebody means; kinds of custom resources are taken as they are. Throws `InvalidArgument`. */
export function requireNodeKind(text: string): NodeKindNames {
  const known = findNodeKind(text);
  if (known !== undefined) return known;
  if (/^[A-Z][A-Za-z0-9]*(?:\.[a-z0-9.-]+)?$/u.test(text))
    return { kind: text, isNamespaced: undefined, names: [text] };
  throw new BowlineError(
    "InvalidArgument",
    `There is no kind «${text.slice(0, 64)}»${didYouMean(text, byName.keys()) || `: use one such as ${examples}, or Kind.group for a custom resource, such as Rollout.argoproj.io.`}`,
  );
}

const examples = "secret, cm, pvc, sa, svc, deploy, pod, node, image, user or group";
