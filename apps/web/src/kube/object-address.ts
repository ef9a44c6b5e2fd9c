import { objectParams, type ObjectParams } from "./places.ts";

/** An object in a cluster that is known by its kind, as trees, events and statuses name it. */
export interface ObjectAddress {
  readonly cluster: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly namespace?: string | undefined;
  readonly name: string;
}

/** The parts of the address of an object's page. */
export function addressParams({ kind, namespace, ...object }: ObjectAddress): ObjectParams {
  const { cluster, group, version, name } = object;
  const place = { cluster, group, version, name, resource: resourceOf(kind) };
  return objectParams(namespace === undefined || namespace === "" ? place : { ...place, namespace });
}

/**
 * The resource of a kind, by the rule that Kubernetes and the makers of definitions follow: ingresses, policies, pods.
 * A definition may break it, which only the cluster could tell.
 */
export function resourceOf(kind: string): string {
  const word = kind.toLowerCase();
  if (word === "endpoints") return word;
  if (/(?:s|x|ch|sh)$/u.test(word)) return `${word}es`;
  if (/[^aeiou]y$/u.test(word)) return `${word.slice(0, -1)}ies`;
  return `${word}s`;
}
