import { createHash } from "node:crypto";

import {
  compareRefs,
  compareText,
  formatRef,
  refOf,
  type KubeObject,
  type ObjectRef,
} from "./kube-object.ts";

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

interface Entry {
  readonly ref: ValueRef;
  readonly use: Reference["use"];
  readonly value: string | undefined;
  readonly usedBy: Map<string, ObjectRef>;
  /** How many parts of objects hold it as a file. */
  holders: number;
  hash?: string;
}

/** Looks values up and remembers who needed which. */
export class ReferenceTracker {
  readonly #resolve: Resolve;
  /** Whether a value that is not resolved may only not be read. */
  readonly isForbidden: (ref: ValueRef) => boolean;
  readonly #entries = new Map<string, Entry>();

  constructor(resolve: Resolve, isForbidden: (ref: ValueRef) => boolean = () => false) {
    this.#resolve = resolve;
    this.isForbidden = isForbidden;
  }

  /** The value, if there is one. */
  resolve(ref: ValueRef, use: Reference["use"], owner: ObjectRef): string | undefined {
    const id = idOf(ref, use);
    // Asked for once: a certificate may be large, and in every job of many monitors.
    const entry = this.#entries.get(id) ?? {
      ref,
      use,
      value: this.#resolve(ref),
      usedBy: new Map(),
      holders: 0,
    };
    entry.usedBy.set(formatRef(owner), owner);
    this.#entries.set(id, entry);
    return entry.value;
  }

  /** The hash of what is in a file; made once, as a bundle of certificates may be large. */
  hashOf(ref: ValueRef): string {
    const entry = this.#entries.get(idOf(ref, "file"));
    if (entry?.value === undefined) return "";
    entry.hash ??= createHash("sha256").update(entry.value).digest("base64");
    return entry.hash;
  }

  /** A part of an object needs the file, if nothing is wrong with the part. */
  hold(ref: ValueRef): void {
    this.#count(ref, 1);
  }

  /** Something was. */
  release(ref: ValueRef): void {
    this.#count(ref, -1);
  }

  #count(ref: ValueRef, more: number): void {
    const entry = this.#entries.get(idOf(ref, "file"));
    if (entry !== undefined) entry.holders += more;
  }

  list(): Reference[] {
    return [...this.#entries]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, { ref, use, value, usedBy, holders }]) => ({
        ...ref,
        use,
        ...(use === "file" ? { file: fileNameOf(ref), needed: holders > 0 } : {}),
        found: value !== undefined,
        usedBy: [...usedBy.values()].sort(compareRefs),
      }));
  }
}

function idOf({ kind, namespace, name, key }: ValueRef, use: Reference["use"]): string {
  return [kind, namespace, name, key, use].join("/");
}

/** A resolver for Secrets and ConfigMaps that are at hand, as in files. */
export function resolveFromObjects(objects: readonly KubeObject[]): Resolve {
  const holders = new Map(
    objects
      .filter(({ kind }) => kind === "Secret" || kind === "ConfigMap")
      .map((object) => [formatRef(refOf(object)), object]),
  );
  return (ref) => {
    const holder = holders.get(formatRef(ref));
    if (holder === undefined) return undefined;
    if (holder.kind === "Secret") {
      return textAt(holder.stringData, ref.key) ?? decoded(textAt(holder.data, ref.key));
    }
    return textAt(holder.data, ref.key) ?? decoded(textAt(holder.binaryData, ref.key));
  };
}

function textAt(map: unknown, key: string): string | undefined {
  if (typeof map !== "object" || map === null) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(map, key)?.value;
  return typeof value === "string" ? value : undefined;
}

function decoded(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("utf8");
}
