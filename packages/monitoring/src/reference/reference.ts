import type { ObjectRef } from "../model/kube-object.ts";

/** One key of a Secret or a ConfigMap. */
export interface ValueRef {
  readonly kind: "Secret" | "ConfigMap";
  readonly namespace: string;
  readonly name: string;
  readonly key: string;
}

/** Gives the value of a key, or undefined when there is none now. */
export type Resolve = (ref: ValueRef) => string | undefined;

/**
 * A key that the configuration needs. Those of rejected monitors and those that are missing are listed as well: a
 * controller that watched only what it found would never learn that the rest has come.
 */
export interface Reference extends ValueRef {
  /** Whether the configuration holds the value itself or the path of a file that must have it. */
  readonly use: "value" | "file";
  /** The file's name under the mount directory; only with `use: "file"`. */
  readonly file?: string;
  readonly found: boolean;
  /** Only with `use: "file"`: whether what is left of the configuration names the file. */
  readonly needed?: boolean;
  readonly usedBy: readonly ObjectRef[];
}

/** The name of the file for a key: 0 for Secrets and 1 for ConfigMaps, so that the two cannot collide. */
export function fileNameOf({ kind, namespace, name, key }: ValueRef): string {
  return `${kind === "Secret" ? 0 : 1}_${namespace}_${name}_${key}`;
}
