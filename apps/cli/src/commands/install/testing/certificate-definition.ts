const text = { type: "string" };
const texts = { type: "array", items: text };

/**
 * Stands in for cert-manager's own definition: the fields that an installation uses, as its documentation has them, and
 * no others. It shows that a Certificate is well formed, not that cert-manager would issue it.
 */
export const certificateDefinition = {
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
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                required: ["secretName", "issuerRef"],
                properties: {
                  secretName: text,
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
            },
          },
        },
      },
    ],
  },
} as const;
