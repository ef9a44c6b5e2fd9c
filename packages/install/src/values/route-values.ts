import { choice, flag, integer, labelValue, list, text, withDefault } from "@bowline/api";

import {
  anyLine,
  dataKey,
  group,
  hostName,
  maybe,
  objectName,
  part,
  parts,
  textMap,
  textOr,
} from "./value-parts.ts";

const network = {
  pattern: "^[0-9a-fA-F:.]+/[0-9]{1,3}$",
  expects: "a network such as 10.0.0.0/8",
  minLength: 4,
  maxLength: 49,
};
const interval = { pattern: "^[0-9]{1,6}(ms|s|m|h)$", expects: "a time such as 30s or 1m", maxLength: 8 };
const port = { minimum: 1, maximum: 65_535 };

const passThrough =
  "It has to pass TLS through to the servers: agents speak HTTP/2 by ALPN on the same port, and know the servers by their certificate.";

/** Values of how the servers are reached, by whom, and whom they reach. */
export const routeValues = {
  service: group("The Service before the servers.", {
    type: withDefault(
      choice("From where it can be reached.", ["ClusterIP", "NodePort", "LoadBalancer"]),
      "ClusterIP",
    ),
    port: withDefault(integer("Its port.", port), 7443),
    nodePort: withDefault(
      integer("The port on each node; 0 has Kubernetes choose one.", { minimum: 0, maximum: 65_535 }),
      0,
    ),
    annotations: textMap("Annotations, such as those that load balancers are told by."),
    loadBalancerClass: maybe("The class of the load balancer; from Kubernetes 1.22 on.", anyLine),
    loadBalancerSourceRanges: withDefault(
      list("Networks that may use the load balancer.", text("A network.", network), {
        maxItems: 100,
        unique: true,
      }),
      [],
    ),
  }),
  ingress: group(`An Ingress that leads to the servers. ${passThrough}`, {
    enabled: withDefault(flag("Whether there is one."), false),
    className: maybe("Its class; the default class of the cluster when empty.", objectName),
    host: maybe("The name that clients and agents call.", hostName),
    annotations: textMap(
      "How its controller is told to pass TLS through. The default is understood by ingress-nginx where it runs with --enable-ssl-passthrough.",
      undefined,
      { "nginx.ingress.kubernetes.io/ssl-passthrough": "true" },
    ),
  }),
  gateway: group(`A TLSRoute of the Gateway API that leads to the servers. ${passThrough}`, {
    enabled: withDefault(flag("Whether there is one."), false),
    apiVersion: withDefault(
      choice("The version that the cluster serves: `v1` since Gateway API 1.5.", [
        "gateway.networking.k8s.io/v1",
        "gateway.networking.k8s.io/v1alpha3",
        "gateway.networking.k8s.io/v1alpha2",
      ]),
      "gateway.networking.k8s.io/v1",
    ),
    parentRef: group("The Gateway, with a listener of protocol TLS and mode Passthrough.", {
      name: maybe("Its name.", objectName),
      namespace: maybe("Its namespace; that of the installation when empty.", objectName),
      sectionName: maybe("The listener; all that fit when empty.", objectName),
    }),
    host: maybe("The name that clients and agents call.", hostName),
  }),
  networkPolicy: group("Whom the servers talk with. Anybody may come in, on the port they serve.", {
    enabled: withDefault(flag("Whether there is one."), true),
    from: parts(
      "Who may come in besides the servers themselves, as a NetworkPolicy has it; everybody when empty. Whoever reads metrics and the agent of this cluster belong here, too.",
    ),
    egressPorts: withDefault(
      list(
        "Ports that servers may call, besides DNS and each other: git by SSH, HTTPS, NATS and PostgreSQL. Add those of others: 7687 for Neo4j, 80 to look at hosts of Gateways without TLS, and for the identity that AWS gives to pods and machines.",
        integer("A port.", port),
        { maxItems: 50, unique: true },
      ),
      [22, 443, 4222, 5432],
    ),
  }),
  serviceMonitor: group("Tells a Prometheus that knows ServiceMonitors of the servers' metrics.", {
    enabled: withDefault(flag("Whether there is one."), false),
    interval: textOr("How often metrics are read.", interval, "30s"),
    labels: textMap("Labels by which Prometheus finds it.", labelValue),
    tokenSecret: group(
      "A Secret with a token of Bowline, of any role: needed unless `settings.metrics.access` is `anybody`.",
      {
        name: maybe("The name of the Secret.", objectName),
        key: textOr("Its key.", dataKey, "token"),
      },
    ),
    tlsConfig: part(
      "How the certificate of the servers is checked, as a ServiceMonitor has it. When empty, it is not.",
    ),
  }),
};
