import { createHash } from "node:crypto";

import { compareRefs, compareText, formatRef, type ObjectRef } from "../model/kube-object.ts";
import { fileNameOf, type Reference, type Resolve, type ValueRef } from "./reference.ts";

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
export class ReferenceBook {
  readonly #resolve: Resolve;
  /** Whether a value that is not resolved may only not be read. */
  readonly isForbidden: (ref: ValueRef) => boolean;
  readonly #entries = new Map<string, Entry>();

  constructor(resolve: Resolve, isForbidden: (ref: ValueRef) => boolean = () => false) {
    this.#resolve = resolve;
    this.isForbidden = isForbidden;
  }

  /** The value, if there is one. */
  look(ref: ValueRef, use: Reference["use"], owner: ObjectRef): string | undefined {
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
