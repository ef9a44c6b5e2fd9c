const postgres = {
  database: { postgres: { existingSecret: "pg" } },
  encryption: { existingSecret: "keys" },
};

/** Values that nobody may install with: what is wrong, and where. */
export const refusedValues: readonly (readonly [name: string, values: object, path: string])[] = [
  ["SQLite with two replicas", { replicas: 2 }, "replicas"],
  ["PostgreSQL without keys", { ...postgres, encryption: {} }, "encryption.existingSecret"],
  ["an ingress without a host", { ingress: { enabled: true } }, "ingress.host"],
  ["a gateway without a host", { gateway: { enabled: true, parentRef: { name: "g" } } }, "gateway.host"],
  ["a gateway without a parent", { gateway: { enabled: true, host: "a.b" } }, "gateway.parentRef.name"],
  [
    "two certificates",
    { tls: { existingSecret: "tls", certManager: { issuerRef: { name: "ca" } } } },
    "tls.existingSecret",
  ],
  ["names for a certificate that is given", { tls: { existingSecret: "tls", names: ["a.b"] } }, "tls.names"],
  ["credentials of no NATS", { nats: { credentialsKey: "a.creds" } }, "nats.credentialsKey"],
  ["a monitor without a token", { serviceMonitor: { enabled: true } }, "serviceMonitor.tokenSecret.name"],
  ["a node port of a Service without", { service: { nodePort: 30_000 } }, "service.nodePort"],
  ["a class without a load balancer", { service: { loadBalancerClass: "a" } }, "service.loadBalancerClass"],
  ["a label of ours", { podLabels: { "app.kubernetes.io/name": "other" } }, "podLabels"],
  ["an unknown key", { replica: 2 }, "replica"],
  ["an unknown key further down", { image: { name: "bowline" } }, "image.name"],
  ["an unknown setting", { settings: { oidc: { isuer: "https://id" } } }, "settings.oidc.isuer"],
  ["a setting that other values decide", { settings: { listen: "0.0.0.0:1" } }, "settings.listen"],
  ["another type", { replicas: "two" }, "replicas"],
  ["a setting of another type", { settings: { limits: { requests: "many" } } }, "settings.limits.requests"],
  ["a setting beyond its limits", { settings: { limits: { requests: 0 } } }, "settings.limits.requests"],
  ["no choice", { settings: { log: { level: "loud" } } }, "settings.log.level"],
  ["no duration", { settings: { retention: { audit: "90" } } }, "settings.retention.audit"],
  ["a secret as a value", { settings: { oidc: { clientSecret: "hunter2" } } }, "settings.oidc.clientSecret"],
  [
    "memory in a unit that no heap fits",
    { resources: { limits: { memory: "1G" } } },
    "resources.limits.memory",
  ],
  ["a url of HTTP", { url: "http://bowline.example.com" }, "url"],
];
