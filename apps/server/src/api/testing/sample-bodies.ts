import { kinds, type Kind } from "@bowline/api";

export interface Sample {
  readonly kind: Kind;
  readonly spec: object;
  /** Another spec that the same object may have. */
  readonly otherSpec: object;
  /** One more, of a kind of which no two may have the same. */
  readonly thirdSpec?: object;
  /** A field of the spec, and a value that is wrong there. */
  readonly wrong: readonly [path: string, value: unknown];
}

/** An instance and a cluster of this name have to be there. */
const placementSpec = {
  instance: "sample",
  cluster: "sample",
  definition: "web",
  revision: `sha256:${"0".repeat(64)}`,
  actingUser: { user: "editor", method: "token", groups: [] },
};

const specs: Readonly<Record<string, Omit<Sample, "kind">>> = {
  Cluster: { spec: { region: "eu-1" }, otherSpec: { region: "eu-2" }, wrong: ["region", 7] },
  WorkloadDefinition: {
    spec: { source: { inline: { manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n" } } },
    otherSpec: { source: { inline: { manifests: "apiVersion: v1\nkind: Secret\nmetadata: {name: web}\n" } } },
    wrong: ["parameters", "none"],
  },
  WorkloadInstance: {
    spec: { definition: "web", placement: { clusters: ["prod-eu-1"] } },
    otherSpec: { definition: "web", placement: { clusters: ["prod-eu-2"] } },
    wrong: ["namespace", "Not A Name"],
  },
  WorkloadPlacement: {
    spec: placementSpec,
    otherSpec: { ...placementSpec, namespace: "shop" },
    wrong: ["revision", "latest"],
  },
  Gateway: {
    spec: { instance: "web", hosts: ["web.example.com"], rules: [{ service: "web", port: 80 }] },
    otherSpec: { instance: "web", hosts: ["www.example.com"], rules: [{ service: "web", port: 80 }] },
    thirdSpec: { instance: "web", hosts: ["second.example.com"], rules: [{ service: "web", port: 80 }] },
    wrong: ["visibility", "secret"],
  },
  DomainName: {
    spec: { domain: "example.com", provider: "rfc2136", rfc2136: { server: "ns.example.com" } },
    otherSpec: { domain: "example.org", provider: "rfc2136", rfc2136: { server: "ns.example.org" } },
    thirdSpec: { domain: "example.net", provider: "rfc2136", rfc2136: { server: "ns.example.net" } },
    wrong: ["policy", "round-robin"],
  },
  ConfigSource: {
    spec: { git: { url: "https://git.example.com/fleet.git" }, actsAs: "editor" },
    otherSpec: { git: { url: "https://git.example.com/other.git" }, actsAs: "editor" },
    wrong: ["prune", "no"],
  },
  Credential: {
    spec: { type: "token", data: { token: "s3cret-value" } },
    otherSpec: { type: "token", data: { token: "0ther-value" } },
    wrong: ["type", "password"],
  },
  GraphQuestion: {
    spec: { question: "search", parameters: { text: "web" } },
    otherSpec: { question: "search", parameters: { text: "db" } },
    wrong: ["question", "why"],
  },
  AccessGrant: {
    spec: {
      subjects: [{ user: "editor" }],
      clusters: { names: ["prod-eu-1"] },
      kubernetes: { groups: ["developers"] },
    },
    otherSpec: {
      subjects: [{ group: "developers" }],
      clusters: { names: ["prod-eu-1"] },
      kubernetes: {},
    },
    wrong: ["expiresAt", "tomorrow"],
  },
  User: { spec: { role: "viewer" }, otherSpec: { role: "editor" }, wrong: ["role", "king"] },
  Token: {
    spec: { user: "editor" },
    otherSpec: { user: "editor", description: "for the build" },
    wrong: ["role", "king"],
  },
  Session: {
    spec: { user: "editor", method: "oidc", expiresAt: "2040-01-01T00:00:00.000Z" },
    otherSpec: { user: "editor", method: "oidc", expiresAt: "2041-01-01T00:00:00.000Z" },
    wrong: ["method", "guess"],
  },
};

/** One for each kind. */
export const allSamples: readonly Sample[] = kinds.map((kind) => {
  const sample = specs[kind.kind];
  if (sample === undefined) throw new Error(`There is no sample of ${kind.kind}.`);
  return { kind, ...sample };
});

/** One for each kind that clients write. */
export const samples: readonly Sample[] = allSamples.filter(({ kind }) => !kind.serverMade);

export function bodyOf(name: string, spec: object, metadata: object = {}): Record<string, unknown> {
  return { metadata: { name, ...metadata }, spec };
}
