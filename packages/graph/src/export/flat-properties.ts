import { nodeKey, sharedKinds, type NodeRef } from "../model/node.ts";
import type { Properties } from "../model/object-facts.ts";

/** Values that every database of graphs can hold. */
type FlatValue = string | number | boolean | readonly string[];

export type FlatProperties = Readonly<Record<string, FlatValue>>;

/**
 * Names a node among those of all clusters: `prod/Secret/shop/db`. What is the same in all clusters begins with a
 * slash, which no name of a cluster does.
 */
export function exportedId(cluster: string, ref: NodeRef): string {
  return `${sharedKinds.has(ref.kind) ? "" : cluster}/${nodeKey(ref)}`;
}

/** Properties without maps: labels become a list of `key=value`. */
export function flatProperties(properties: Properties): FlatProperties {
  const flat: Record<string, FlatValue> = {};
  for (const [name, value] of Object.entries(properties)) {
    flat[name] = isMap(value) ? Object.entries(value).map(([key, item]) => `${key}=${item}`) : value;
  }
  return flat;
}

/** The map that `flatProperties` made a list of. Keys of labels have no `=`. */
export function mapOfFlat(list: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    list.map((pair) => {
      const equals = pair.indexOf("=");
      return [pair.slice(0, equals), pair.slice(equals + 1)];
    }),
  );
}

function isMap(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
