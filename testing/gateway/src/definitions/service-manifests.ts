import type { KubeObject } from "@bowline/kube";

import { certificateDefinition, clusterIssuerDefinition } from "../certificates/certificate-definition.ts";

/** The controller of the class `reference`. */
export const referenceControllerName = "example.com/reference";

/**
 * What installs the services of Gateways, as far as the API goes; the programs are those of `DeployedPrograms`. Manifests
 * by the names of their Deployments.
 */
export const serviceManifests = {
  "reference-gateways": manifests(
    {
      apiVersion: "gateway.networking.k8s.io/v1",
      kind: "GatewayClass",
      metadata: { name: "reference" },
      spec: { controllerName: referenceControllerName },
    },
    deployment("reference-gateways"),
  ),
  "cert-manager": manifests(certificateDefinition, clusterIssuerDefinition, deployment("cert-manager"), {
    apiVersion: "cert-manager.io/v1",
    kind: "ClusterIssuer",
    metadata: { name: "test-ca" },
    spec: { ca: { secretName: "test-ca" } },
  }),
  /** Has to be given the parameters `owner` and `domains`. */
  "external-dns": manifests(
    deployment("external-dns", { args: ["--txt-owner-id=${{ owner }}", "--domain-filter=${{ domains }}"] }),
  ),
} as const;

export function deployment(
  name: string,
  { image = `example.com/${name}:1`, args = [] }: { image?: string; args?: readonly string[] } = {},
): KubeObject {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name, image, args }] } },
    },
  };
}

function manifests(...objects: readonly object[]): string {
  return objects.map((object) => `${JSON.stringify(object)}\n`).join("---\n");
}
