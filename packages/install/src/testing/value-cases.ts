import { asRecord, mergePatch } from "@bowline/core";

import { pairwise } from "./pairwise.ts";

/** Values to install with, and what is said about them. */
export interface ValueCase {
  readonly name: string;
  readonly values: object;
  /** The oldest Kubernetes `1.x` that knows all of it; any, if it says nothing. */
  readonly sinceMinor?: number;
}

const postgres = {
  database: { postgres: { existingSecret: "bowline-database" } },
  encryption: { existingSecret: "bowline-encryption" },
};

/** The switches of an installation: each has its positions, and all of them go together. */
const switches: Readonly<Record<string, Readonly<Record<string, object>>>> = {
  database: { sqlite: {}, postgres, "postgres x 3": { ...postgres, replicas: 3 } },
  nats: { none: {}, nats: { nats: { existingSecret: "bowline-nats" } } },
  certificate: {
    own: {},
    named: { tls: { names: ["bowline.example.com"], addresses: ["192.0.2.1", "2001:db8::1"] } },
    given: { tls: { existingSecret: "bowline-tls" } },
    "of cert-manager": { tls: { certManager: { issuerRef: { name: "ca" } } } },
  },
  ingress: {
    none: {},
    ingress: { ingress: { enabled: true, host: "bowline.example.com", className: "nginx" } },
  },
  gateway: {
    none: {},
    gateway: { gateway: { enabled: true, host: "gw.example.com", parentRef: { name: "public" } } },
  },
  monitor: {
    none: {},
    token: { serviceMonitor: { enabled: true, tokenSecret: { name: "scrape" } } },
    anybody: { serviceMonitor: { enabled: true }, settings: { metrics: { access: "anybody" } } },
  },
  policy: { on: {}, off: { networkPolicy: { enabled: false } } },
  service: { inside: {}, outside: { service: { type: "LoadBalancer", port: 443 } } },
  memory: { limited: {}, free: { resources: { limits: { memory: null } } } },
};

const fields: readonly ValueCase[] = [
  { name: "no values", values: {} },
  {
    name: "an image of a registry",
    values: {
      image: { repository: "registry.example.com:5000/bowline", tag: "1.2.3", pullPolicy: "Always" },
    },
  },
  {
    name: "an image by digest, with Secrets to pull it",
    values: { image: { digest: `sha256:${"ab".repeat(32)}`, pullSecrets: ["one", "two"] } },
  },
  { name: "a url", values: { url: "https://bowline.example.com:8443" } },
  { name: "a volume", values: { database: { sqlite: { size: "1Ti", storageClassName: "fast" } } } },
  {
    name: "connections",
    values: {
      ...postgres,
      database: { postgres: { existingSecret: "pg", key: "uri" }, connections: 200 },
    },
  },
  {
    name: "everything about NATS",
    values: {
      nats: { existingSecret: "nats", key: "address", credentialsKey: "user.creds", caKey: "ca.crt" },
    },
  },
  {
    name: "keys and a token",
    values: {
      encryption: { existingSecret: "keys", key: "k" },
      adminToken: { existingSecret: "admin", key: "t" },
    },
  },
  {
    name: "an issuer of the whole cluster",
    values: {
      tls: { certManager: { issuerRef: { name: "acme", kind: "ClusterIssuer" } }, names: ["b.example.com"] },
    },
  },
  {
    name: "a port on nodes",
    values: {
      service: {
        type: "NodePort",
        nodePort: 30_443,
        annotations: { "example.com/a": 'quoted "b": {{ c }}' },
      },
    },
  },
  {
    name: "a load balancer for some",
    values: { service: { type: "LoadBalancer", loadBalancerSourceRanges: ["10.0.0.0/8", "2001:db8::/32"] } },
  },
  {
    name: "a load balancer of a class",
    values: { service: { type: "LoadBalancer", loadBalancerClass: "example.com/internal" } },
    sinceMinor: 22,
  },
  {
    name: "an ingress with other annotations",
    values: {
      ingress: {
        enabled: true,
        host: "b.example.com",
        annotations: {
          "nginx.ingress.kubernetes.io/ssl-passthrough": null,
          "haproxy.org/ssl-passthrough": "true",
        },
      },
    },
  },
  {
    name: "a gateway of another namespace",
    values: {
      gateway: {
        enabled: true,
        host: "b.example.com",
        parentRef: { name: "public", namespace: "gateways", sectionName: "tls" },
      },
    },
  },
  {
    name: "a policy for some",
    values: { networkPolicy: { from: [{ namespaceSelector: {} }], egressPorts: [443, 7687] } },
  },
  { name: "a policy without calls", values: { networkPolicy: { egressPorts: [] } } },
  {
    name: "a monitor with labels and a CA",
    values: {
      serviceMonitor: {
        enabled: true,
        interval: "1m",
        labels: { release: "prometheus" },
        tokenSecret: { name: "scrape", key: "bearer" },
        tlsConfig: {
          ca: { secret: { name: "bowline-tls", key: "ca.crt" } },
          serverName: "bowline.example.com",
        },
      },
    },
  },
  { name: "time to start", values: { ...postgres, probes: { startupSeconds: 3601 } } },
  { name: "time to drain", values: { drain: { delaySeconds: 0, timeSeconds: 600 } } },
  {
    name: "resources",
    values: {
      resources: {
        requests: { cpu: "2", "ephemeral-storage": "4Gi" },
        limits: { cpu: "4", memory: "3000Mi" },
      },
      temporaryStorage: { data: "5Gi", tmp: "500Mi" },
    },
  },
  { name: "no budget", values: { ...postgres, replicas: 2, podDisruptionBudget: { enabled: false } } },
  { name: "a wide budget", values: { ...postgres, replicas: 5, podDisruptionBudget: { maxUnavailable: 2 } } },
  {
    name: "nodes of its own",
    values: {
      ...postgres,
      nodeSelector: { "kubernetes.io/os": null, pool: "bowline" },
      tolerations: [{ key: "pool", operator: "Equal", value: "bowline", effect: "NoSchedule" }],
      affinity: {
        nodeAffinity: {
          preferredDuringSchedulingIgnoredDuringExecution: [
            {
              weight: 1,
              preference: { matchExpressions: [{ key: "disk", operator: "In", values: ["ssd"] }] },
            },
          ],
        },
      },
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "topology.kubernetes.io/zone",
          whenUnsatisfiable: "ScheduleAnyway",
          labelSelector: { matchLabels: { "app.kubernetes.io/name": "bowline" } },
        },
      ],
      priorityClassName: "system-cluster-critical",
    },
  },
  {
    name: "labels and annotations",
    values: {
      labels: { team: "platform", "example.com/tier": "1" },
      podLabels: { "example.com/tier": "2", mesh: "on" },
      podAnnotations: { "example.com/note": "first line\nsecond: line" },
    },
  },
  {
    name: "what is not foreseen",
    values: {
      extraEnv: [
        { name: "HTTPS_PROXY", value: "http://proxy.example.com:3128" },
        { name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
      ],
      extraVolumes: [{ name: "ca", configMap: { name: "ca" } }],
      extraVolumeMounts: [{ name: "ca", mountPath: "/etc/ca", readOnly: true }],
    },
  },
  {
    name: "settings of the server",
    values: {
      settings: {
        trustedProxies: ["10.0.0.0/8", "192.0.2.1"],
        gateway: { urls: ["https://a.example.com", "https://b.example.com"] },
        oidc: {
          issuer: "https://id.example.com/?a=1&b=<2>",
          clientId: "bowline",
          clientSecret: { existingSecret: "oidc", key: "secret" },
          roles: ["platform=admin", "everybody=viewer"],
        },
        limits: { body: "16MiB", requests: 1_000_000, watchers: 123_456 },
        retention: { audit: "365d" },
        log: { level: "debug" },
        neo4j: { shared: "yes" },
      },
    },
  },
];

/** Values that give every field something to say, and every two positions of two switches at once. */
export function valueCases(): ValueCase[] {
  return [...fields, ...combinations()];
}

function combinations(): ValueCase[] {
  const names = Object.entries(switches).map(([name, positions]) => [name, Object.keys(positions)] as const);
  return pairwise(new Map(names)).map((choices) => ({
    name: [...choices].map((choice) => choice.join(": ")).join(", "),
    values: [...choices].reduce<object>(
      (merged, [name, position]) => withBoth(merged, switches[name]?.[position] ?? {}),
      {},
    ),
  }));
}

/** Unlike a patch, this keeps what is null, for the one who reads the values. */
function withBoth(first: object, second: object): object {
  return "resources" in second ? { ...first, ...second } : asRecord(mergePatch(first, second));
}
