import { joinSecrets, splitSecrets, type Kind, type Secrets, type UserMetadata } from "@bowline/api";

import { toYaml } from "../../output/to-yaml.ts";

/** An object of the server, or one that is not there yet. */
interface Comparable {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: UserMetadata;
  readonly spec: unknown;
}

/** What people decide about an object, as YAML: what belongs to the server is left out, and keys have one order. */
export function comparableText(kind: Kind, object: Comparable, secretMarks: Secrets): string {
  const { name, labels, annotations } = object.metadata;
  // What comes from the server has none; what was only checked here has the values themselves.
  const { spec } = splitSecrets<object>(kind, Object(object.spec));
  return toYaml({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: sorted({ name, labels, annotations }),
    spec: sorted(joinSecrets(kind, spec, secretMarks)),
  });
}

/** The order of keys means nothing, and must not look like a change. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}
