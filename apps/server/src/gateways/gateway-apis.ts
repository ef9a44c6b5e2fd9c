import type { DiscoveredApis, ResourceRef } from "@bowline/kube";

import { gatewayGroup } from "./entry.ts";

/** The APIs of a cluster that Gateways need, in the versions that it has. */
export interface GatewayApis {
  readonly gatewayClass: ResourceRef;
  readonly gateway: ResourceRef;
  readonly httpRoute: ResourceRef;
  readonly referenceGrant: ResourceRef | undefined;
  readonly tlsRoute: ResourceRef | undefined;
  /** Bowline writes none; others may. */
  readonly grpcRoute: ResourceRef | undefined;
  /** Of Kubernetes itself; some controllers serve them at the addresses of their Gateways. */
  readonly ingress: ResourceRef | undefined;
  /** More listeners than a Gateway has room for. */
  readonly listenerSet: ResourceRef | undefined;
  readonly certificates: CertificateApis | undefined;
}

/** Those of cert-manager. */
export interface CertificateApis {
  readonly certificate: ResourceRef;
  readonly clusterIssuer: ResourceRef;
}

export const certManagerGroup = "cert-manager.io";

/** Versions of the standard channel only, the best first: of others nobody promises what they mean tomorrow. */
const standardVersions = ["v1", "v1beta1"];

/** Undefined when the cluster has no Gateway API. */
export function gatewayApisIn(apis: DiscoveredApis): GatewayApis | undefined {
  const find = (kind: string, versions = standardVersions): ResourceRef | undefined =>
    findIn(apis, { kind, versions, group: gatewayGroup });
  const gatewayClass = find("GatewayClass");
  const gateway = find("Gateway");
  const httpRoute = find("HTTPRoute");
  if (gatewayClass === undefined || gateway === undefined || httpRoute === undefined) return undefined;
  return {
    gatewayClass,
    gateway,
    httpRoute,
    referenceGrant: find("ReferenceGrant"),
    // Their older versions belong to the experimental channel.
    tlsRoute: find("TLSRoute", ["v1"]),
    grpcRoute: find("GRPCRoute", ["v1"]),
    ingress: findIn(apis, { kind: "Ingress", versions: ["v1"], group: "networking.k8s.io" }),
    listenerSet: find("ListenerSet", ["v1"]),
    certificates: certificateApisIn(apis),
  };
}

/** Undefined when the cluster has no cert-manager. */
export function certificateApisIn(apis: DiscoveredApis): CertificateApis | undefined {
  const find = (kind: string): ResourceRef | undefined =>
    findIn(apis, { kind, versions: ["v1"], group: certManagerGroup });
  const certificate = find("Certificate");
  const clusterIssuer = find("ClusterIssuer");
  return certificate === undefined || clusterIssuer === undefined
    ? undefined
    : { certificate, clusterIssuer };
}

function findIn(
  { resources }: DiscoveredApis,
  {
    kind,
    versions,
    group,
  }: { readonly kind: string; readonly versions: readonly string[]; readonly group: string },
): ResourceRef | undefined {
  return versions
    .map((version) =>
      resources.find((each) => each.kind === kind && each.group === group && each.version === version),
    )
    .find((found) => found !== undefined);
}

export function apiVersionOf({ group, version }: ResourceRef): string {
  return group === "" ? version : `${group}/${version}`;
}
