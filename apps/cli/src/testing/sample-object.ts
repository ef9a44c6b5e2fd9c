import { initialStatus, validateWrite, type ApiObject, type Kind } from "@bowline/api";
import type { ReadObject } from "@bowline/client";
import { readObject } from "@bowline/client/testing";

/** An object as a server would return it. */
export function sampleObject<K extends Kind>(
  kind: K,
  name: string,
  change: Partial<ApiObject["metadata"]> = {},
): ReadObject<K> {
  const specs: Readonly<Record<string, object>> = {
    Cluster: {},
    User: {},
    WorkloadInstance: { definition: "web", placement: { clusters: ["prod-eu-1"] } },
  };
  const result = validateWrite(kind, { metadata: { name }, spec: specs[kind.kind] });
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return readObject(kind, {
    ...result.object,
    metadata: sampleMetadata(name, change),
    status: initialStatus(kind),
  });
}

/** What a server says of any object. */
export function sampleMetadata(
  name: string,
  change: Partial<ApiObject["metadata"]> = {},
): ApiObject["metadata"] {
  return {
    name,
    labels: {},
    annotations: {},
    id: `01930a5e-7c00-7000-8000-${Buffer.from(name).toString("hex").padStart(12, "0").slice(0, 12)}`,
    generation: 1,
    resourceVersion: "1",
    createdAt: "2026-01-01T00:00:00.000Z",
    updatedAt: "2026-01-01T00:00:00.000Z",
    ...change,
  };
}
