import {
  all,
  kubernetesAtLeast,
  moreThan,
  releaseName,
  releaseNamespace,
  text,
  value,
} from "../template/expression.ts";
import { ifSet, when, type ObjectTemplate } from "../template/template.ts";
import {
  certificateName,
  certificateNames,
  labelsWith,
  mainServiceLabel,
  metadata,
  selectorLabels,
  usesCertManager,
} from "./installation-names.ts";

/** The servers ask nothing of the API server of the cluster they run in. */
const serviceAccount: ObjectTemplate = {
  file: "service-account",
  template: {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: metadata(),
    automountServiceAccountToken: false,
  },
};

const certificate: ObjectTemplate = {
  file: "certificate",
  condition: usesCertManager,
  template: {
    apiVersion: "cert-manager.io/v1",
    kind: "Certificate",
    metadata: metadata(),
    spec: {
      secretName: certificateName,
      issuerRef: value("tls.certManager.issuerRef"),
      dnsNames: certificateNames,
      ipAddresses: ifSet(value("tls.addresses")),
      privateKey: { algorithm: "ECDSA", size: 256, rotationPolicy: "Always" },
      usages: ["digital signature", "server auth"],
    },
  },
};

const podDisruptionBudget: ObjectTemplate = {
  file: "pod-disruption-budget",
  condition: all(value("podDisruptionBudget.enabled"), moreThan(value("replicas"), 1)),
  template: {
    apiVersion: when(kubernetesAtLeast(21), "policy/v1", "policy/v1beta1"),
    kind: "PodDisruptionBudget",
    metadata: metadata(),
    spec: {
      maxUnavailable: value("podDisruptionBudget.maxUnavailable"),
      selector: { matchLabels: selectorLabels },
      // One that does not come up would hold up the drain of its node for ever.
      unhealthyPodEvictionPolicy: when(kubernetesAtLeast(27), "AlwaysAllow"),
    },
  },
};

const serviceMonitor: ObjectTemplate = {
  file: "service-monitor",
  condition: value("serviceMonitor.enabled"),
  template: {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "ServiceMonitor",
    metadata: metadata(releaseName, {}, labelsWith("serviceMonitor.labels")),
    spec: {
      selector: { matchLabels: { ...selectorLabels, ...mainServiceLabel } },
      namespaceSelector: { matchNames: [releaseNamespace] },
      endpoints: [
        {
          port: "https",
          path: "/metrics",
          scheme: "https",
          interval: value("serviceMonitor.interval"),
          authorization: when(value("serviceMonitor.tokenSecret.name"), {
            type: "Bearer",
            credentials: value("serviceMonitor.tokenSecret"),
          }),
          tlsConfig: when(value("serviceMonitor.tlsConfig"), value("serviceMonitor.tlsConfig"), {
            insecureSkipVerify: true,
            serverName: text`${releaseName}.${releaseNamespace}.svc`,
          }),
        },
      ],
    },
  },
};

/** Who the servers are, how many are there at least, what is seen of them. */
export const guardObjects: readonly ObjectTemplate[] = [
  serviceAccount,
  certificate,
  podDisruptionBudget,
  serviceMonitor,
];
