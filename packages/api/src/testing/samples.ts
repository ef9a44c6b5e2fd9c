import { kinds } from "../kinds/kinds.ts";
import { initialStatus, validateWrite } from "../kind/validate-write.ts";
import type { ApiObject, Kind } from "../kind/kind.ts";
import { splitSecrets } from "../kind/secrets.ts";

/** A body for each kind that says as little as it may. */
export const minimalSpecs: Readonly<Record<string, object>> = {
  Cluster: {},
  WorkloadDefinition: {
    source: { inline: { manifests: "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web}\n" } },
  },
  WorkloadInstance: { definition: "web", placement: { clusters: ["prod-eu-1"] } },
  WorkloadPlacement: {
    instance: "web",
    cluster: "prod-eu-1",
    definition: "web",
    revision: `sha256:${"0".repeat(64)}`,
    actingUser: { user: "editor", method: "token", groups: [] },
  },
  Gateway: { instance: "web", hosts: ["web.example.com"], rules: [{ service: "web", port: 80 }] },
  DomainName: { domain: "example.com", provider: "rfc2136", rfc2136: { server: "ns.example.com" } },
  ConfigSource: { git: { url: "https://git.example.com/fleet.git" }, actsAs: "editor" },
  Credential: { type: "token", data: { token: "s3cret" } },
  GraphQuestion: { question: "exposure" },
  AccessGrant: {
    subjects: [{ user: "editor" }],
    clusters: { names: ["prod-eu-1"] },
    kubernetes: { groups: ["developers"] },
  },
  User: {},
  Token: { user: "editor" },
  Session: { user: "editor", method: "oidc", expiresAt: "2027-01-01T00:00:00.000Z" },
};

export const minimalBodies: readonly (readonly [kind: Kind, body: Record<string, unknown>])[] = kinds.map(
  (kind) => [kind, { metadata: { name: "sample" }, spec: minimalSpecs[kind.kind] }],
);

/** An object as the server would return it after it accepted a body. */
export function returnedObject(kind: Kind, body: unknown): ApiObject {
  const result = validateWrite(kind, body);
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return {
    ...result.object,
    metadata: {
      ...result.object.metadata,
      id: "01930a5e-7c00-7000-8000-000000000001",
      generation: 1,
      resourceVersion: "42",
      createdAt: "2026-01-31T12:00:00.000Z",
      updatedAt: "2026-01-31T12:00:00.000Z",
    },
    spec: splitSecrets(kind, result.object.spec).spec,
    status: initialStatus(kind),
  };
}
