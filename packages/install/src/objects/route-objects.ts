import { item, listOf, not, releaseName, value } from "../template/expression.ts";
import { each, ifSet, merged, when, type ObjectTemplate, type TemplateMap } from "../template/template.ts";
import {
  headlessName,
  mainServiceLabel,
  metadata,
  objectLabels,
  selectorLabels,
  serverPort,
  usesPostgres,
} from "./installation-names.ts";

const servicePort: TemplateMap = {
  name: "https",
  port: value("service.port"),
  targetPort: "https",
  protocol: "TCP",
};

const service: ObjectTemplate = {
  file: "service",
  template: {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(
      releaseName,
      { annotations: ifSet(value("service.annotations")) },
      merged({ ...objectLabels, ...mainServiceLabel }, value("labels")),
    ),
    spec: {
      type: value("service.type"),
      selector: selectorLabels,
      ports: [{ ...servicePort, nodePort: ifSet(value("service.nodePort")) }],
      loadBalancerClass: ifSet(value("service.loadBalancerClass")),
      loadBalancerSourceRanges: ifSet(value("service.loadBalancerSourceRanges")),
    },
  },
};

/** A StatefulSet has to name one. */
const headlessService: ObjectTemplate = {
  file: "service-headless",
  condition: not(usesPostgres),
  template: {
    apiVersion: "v1",
    kind: "Service",
    metadata: metadata(headlessName),
    spec: {
      type: "ClusterIP",
      clusterIP: "None",
      publishNotReadyAddresses: true,
      selector: selectorLabels,
      ports: [{ name: "https", port: serverPort, targetPort: "https", protocol: "TCP" }],
    },
  },
};

const ingress: ObjectTemplate = {
  file: "ingress",
  condition: value("ingress.enabled"),
  template: {
    apiVersion: "networking.k8s.io/v1",
    kind: "Ingress",
    metadata: metadata(releaseName, { annotations: ifSet(value("ingress.annotations")) }),
    spec: {
      ingressClassName: ifSet(value("ingress.className")),
      // Without a Secret: the certificate is the one that the servers show.
      tls: [{ hosts: listOf(value("ingress.host")) }],
      rules: [
        {
          host: value("ingress.host"),
          http: {
            paths: [
              {
                path: "/",
                pathType: "Prefix",
                backend: { service: { name: releaseName, port: { name: "https" } } },
              },
            ],
          },
        },
      ],
    },
  },
};

const tlsRoute: ObjectTemplate = {
  file: "tls-route",
  condition: value("gateway.enabled"),
  template: {
    apiVersion: value("gateway.apiVersion"),
    kind: "TLSRoute",
    metadata: metadata(),
    spec: {
      parentRefs: [
        {
          name: value("gateway.parentRef.name"),
          namespace: ifSet(value("gateway.parentRef.namespace")),
          sectionName: ifSet(value("gateway.parentRef.sectionName")),
        },
      ],
      hostnames: listOf(value("gateway.host")),
      rules: [{ backendRefs: [{ name: releaseName, port: value("service.port") }] }],
    },
  },
};

const serverPorts = [{ port: serverPort, protocol: "TCP" }];
/** Servers relay requests for agents that are connected to another one. */
const otherServers = [{ podSelector: { matchLabels: selectorLabels } }];
const dnsPorts = ["UDP", "TCP"].map((protocol) => ({ port: 53, protocol }));

const networkPolicy: ObjectTemplate = {
  file: "network-policy",
  condition: value("networkPolicy.enabled"),
  template: {
    apiVersion: "networking.k8s.io/v1",
    kind: "NetworkPolicy",
    metadata: metadata(),
    spec: {
      podSelector: { matchLabels: selectorLabels },
      policyTypes: ["Ingress", "Egress"],
      ingress: [
        { ports: serverPorts, from: ifSet(value("networkPolicy.from")) },
        when(value("networkPolicy.from"), { ports: serverPorts, from: otherServers }),
      ],
      egress: [
        { ports: dnsPorts },
        { to: otherServers, ports: serverPorts },
        when(value("networkPolicy.egressPorts"), {
          ports: [each(value("networkPolicy.egressPorts"), { port: item, protocol: "TCP" })],
        }),
      ],
    },
  },
};

/** How the servers are reached, and whom they reach. */
export const routeObjects: readonly ObjectTemplate[] = [
  service,
  headlessService,
  ingress,
  tlsRoute,
  networkPolicy,
];
