import type { KubeObject, ResourceRef } from "@bowline/kube";
import type { Condition } from "@bowline/runtime";

const text = { type: "string" } as const;
const texts = { type: "array", items: text } as const;
const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true } as const;

/**
 * Stands in for cert-manager's own definition: the fields that certificates of Gateways and of an installation use, as
 * its documentation has them, and no others. It shows that a Certificate is well formed, not that cert-manager would
 * issue it.
 */
export const certificateDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "certificates.cert-manager.io" },
  spec: {
    group: "cert-manager.io",
    names: {
      kind: "Certificate",
      listKind: "CertificateList",
      plural: "certificates",
      singular: "certificate",
    },
    scope: "Namespaced",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["secretName", "issuerRef"],
                properties: {
                  secretName: text,
                  secretTemplate: free,
                  dnsNames: texts,
                  ipAddresses: texts,
                  usages: {
                    type: "array",
                    items: { type: "string", enum: ["digital signature", "server auth"] },
                  },
                  issuerRef: {
                    type: "object",
                    required: ["name"],
                    properties: { name: text, kind: text, group: text },
                  },
                  privateKey: {
                    type: "object",
                    properties: {
                      algorithm: { type: "string", enum: ["RSA", "ECDSA", "Ed25519"] },
                      size: { type: "integer" },
                      rotationPolicy: { type: "string", enum: ["Never", "Always"] },
                    },
                  },
                },
              },
              status: {
                type: "object",
                properties: {
                  conditions: { type: "array", items: free },
                  notBefore: text,
                  notAfter: text,
                  revision: { type: "integer" },
                },
              },
            },
          },
        },
      },
    ],
  },
};

/** Stands in for that of cert-manager's issuers, of which nobody here reads more than the name. */
export const clusterIssuerDefinition: KubeObject = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusterissuers.cert-manager.io" },
  spec: {
    group: "cert-manager.io",
    names: {
      kind: "ClusterIssuer",
      listKind: "ClusterIssuerList",
      plural: "clusterissuers",
      singular: "clusterissuer",
    },
    scope: "Cluster",
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: free, status: free } } },
      },
    ],
  },
};

export const certificates: ResourceRef = {
  group: "cert-manager.io",
  version: "v1",
  plural: "certificates",
  kind: "Certificate",
  namespaced: true,
};

export const clusterIssuers: ResourceRef = {
  group: "cert-manager.io",
  version: "v1",
  plural: "clusterissuers",
  kind: "ClusterIssuer",
  namespaced: false,
};

export interface Certificate extends KubeObject {
  spec: {
    secretName: string;
    dnsNames?: string[];
    issuerRef: { name: string; kind?: string; group?: string };
  };
  status?: { conditions?: Condition[]; notBefore?: string; notAfter?: string; revision?: number };
}
