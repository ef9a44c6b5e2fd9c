import type { KindSettings } from "@bowline/api";
import { BowlineError } from "@bowline/core";

import type { WantedCluster } from "../provider.ts";
import { markPath, type NodeMark } from "./node-mark.ts";

/** The settings of a cluster with what is missing filled in; two of them are compared as JSON. */
export interface KindWish {
  readonly nodes: number;
  /** Missing for kind's own. */
  readonly image?: string;
  readonly ports: readonly { readonly host: number; readonly node: number }[];
}

interface KindNode {
  readonly role: "control-plane" | "worker";
  readonly image?: string;
  readonly extraMounts: readonly {
    readonly hostPath: string;
    readonly containerPath: string;
    readonly readOnly: true;
  }[];
  readonly extraPortMappings?: readonly { readonly hostPort: number; readonly containerPort: number }[];
}

/** What `kind create cluster --config` reads, in its format `kind.x-k8s.io/v1alpha4`. */
export interface KindConfig {
  readonly kind: "Cluster";
  readonly apiVersion: "kind.x-k8s.io/v1alpha4";
  readonly nodes: readonly KindNode[];
}

/** kind warns beyond that: it puts up to 14 characters behind it, and names of hosts end at 64. */
const longestName = 50;

/** The same for the same cluster; two clusters never share it, whatever they are called. */
export function kindClusterName({ id, name }: Pick<WantedCluster, "id" | "name">): string {
  // The end of an id: ids of one moment begin alike.
  const own = id.replaceAll("-", "").slice(-6);
  const room = longestName - "bowline--".length - own.length;
  return `bowline-${name.slice(0, room).replace(/-+$/u, "")}-${own}`;
}

export function kindWish({ kind }: WantedCluster["spec"]): KindWish {
  const image = imageOf(kind);
  return {
    nodes: kind?.nodes ?? 1,
    ...(image === undefined ? {} : { image }),
    ports: (kind?.ports ?? []).map(({ host, node }) => ({ host, node })),
  };
}

/** One control plane, as it is also the only one that a restarted engine brings back reliably, and workers. */
export function kindConfig({ nodes, image, ports }: KindWish, mark: NodeMark): KindConfig {
  const common = {
    ...(image === undefined ? {} : { image }),
    // It is there on every machine that has an engine, also on a distant one, and after each reboot.
    extraMounts: [{ hostPath: "/dev/null", containerPath: markPath(mark), readOnly: true as const }],
  };
  const mappings = ports.map(({ host, node }) => ({ hostPort: host, containerPort: node }));
  const first: KindNode = {
    role: "control-plane",
    ...common,
    ...(mappings.length === 0 ? {} : { extraPortMappings: mappings }),
  };
  const workers = Array.from({ length: nodes - 1 }, (): KindNode => ({ role: "worker", ...common }));
  return { kind: "Cluster", apiVersion: "kind.x-k8s.io/v1alpha4", nodes: [first, ...workers] };
}

function imageOf(settings: KindSettings | undefined): string | undefined {
  const { image, kubernetesVersion } = settings ?? {};
  if (image !== undefined) return requireImage(image);
  if (kubernetesVersion === undefined) return undefined;
  if (/^1\.\d+\.\d+$/u.test(kubernetesVersion)) return `kindest/node:v${kubernetesVersion}`;
  throw new BowlineError(
    "InvalidArgument",
    `Images of nodes are known by the whole version, as ${kubernetesVersion}.0: set spec.kind.kubernetesVersion to one that https://github.com/kubernetes-sigs/kind/releases lists, or set spec.kind.image.`,
    { details: { reason: "VersionNotOffered" } },
  );
}

/** It becomes an argument of the engine: one that begins like a flag would be one. */
function requireImage(image: string): string {
  if (/^[a-z0-9][\w./:@-]*$/iu.test(image)) return image;
  throw new BowlineError("InvalidArgument", `spec.kind.image, "${image}", is not the name of an image.`, {
    details: { reason: "Preflight" },
  });
}
