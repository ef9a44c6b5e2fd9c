import type { DeepReadonly } from "@bowline/core";

import type { Gateway, ListenerSet } from "../model/gateway-kinds.ts";
import type { Certificate } from "./certificate-definition.ts";

/** The annotations that ask for certificates, and the kinds of issuers they name. */
const annotations = { "cert-manager.io/issuer": "Issuer", "cert-manager.io/cluster-issuer": "ClusterIssuer" };

/** The Certificates that an annotated Gateway or set asks for: one for each Secret, with the hosts of its listeners. */
export function wantedCertificates(owner: DeepReadonly<Gateway> | DeepReadonly<ListenerSet>): Certificate[] {
  const { name = "", namespace = "", uid = "", annotations: given = {} } = owner.metadata;
  const issuer = Object.entries(annotations).flatMap(([annotation, kind]) => {
    const issuerName = given[annotation];
    return issuerName === undefined ? [] : [{ kind, name: issuerName, group: "cert-manager.io" }];
  })[0];
  if (issuer === undefined) return [];
  const hosts = new Map<string, string[]>();
  for (const { hostname, tls } of owner.spec.listeners) {
    if (hostname === undefined || tls?.mode === "Passthrough") continue;
    for (const { name: secret, namespace: other = namespace } of tls?.certificateRefs ?? [])
      if (other === namespace) hosts.set(secret, [...(hosts.get(secret) ?? []), hostname]);
  }
  const { apiVersion, kind } = owner;
  return [...hosts].map(([secretName, dnsNames]) => ({
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: {
      name: secretName,
      namespace,
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: { secretName, dnsNames: [...new Set(dnsNames)], issuerRef: issuer },
  }));
}
