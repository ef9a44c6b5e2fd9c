import { derivedName, type GatewaySpec } from "@bowline/api";

/** What the Gateways of one class and visibility share in a cluster: one way in from outside. */
export interface Entry {
  readonly cluster: string;
  readonly class: string;
  readonly visibility: GatewaySpec["visibility"];
}

export const gatewayGroup = "gateway.networking.k8s.io";

/** On every object of Kubernetes and of Bowline that is made for Gateways. */
export const madeForGateways = "bowline.dev/made-for-gateways";

/** The namespace that an entry has for itself; its first Gateway has the same name. */
export function entryNamespace({ class: className, visibility }: Entry): string {
  return derivedName(`bowline-${visibility}-${plain(className)}`, `${visibility}/${className}`);
}

/** The WorkloadDefinition and the WorkloadInstance of an entry. */
export function entryName(entry: Entry): string {
  const { cluster, class: className, visibility } = entry;
  return derivedName(`entry-${visibility}-${cluster}`, `${cluster}/${visibility}/${className}`);
}

/** The WorkloadDefinition and the WorkloadInstance with the routes of a Gateway in a cluster. */
export function routesName(gateway: string, cluster: string): string {
  return derivedName(`gateway-${gateway}`, `${gateway}/${cluster}`);
}

/** A listener, the certificate of its host and the Secret with that have one name. */
export function listenerName(host: string): string {
  return host.startsWith("*.") ? `any.${host.slice(2)}` : `host.${host}`;
}

export const plainListener = "http";

function plain(className: string): string {
  return className.replaceAll(".", "-");
}
