import { compareRefs, compareText, formatRef, type ObjectRef } from "../model/kube-object.ts";
import { fileNameOf, type Reference, type Resolve, type ValueRef } from "./reference.ts";

interface Entry {
  readonly ref: ValueRef;
  readonly use: Reference["use"];
  readonly found: boolean;
  readonly usedBy: Map<string, ObjectRef>;
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
    const value = this.#resolve(ref);
    const id = [ref.kind, ref.namespace, ref.name, ref.key, use].join("/");
    const entry = this.#entries.get(id) ?? { ref, use, found: value !== undefined, usedBy: new Map() };
    entry.usedBy.set(formatRef(owner), owner);
    this.#entries.set(id, entry);
    return value;
  }

  list(): Reference[] {
    return [...this.#entries]
      .sort(([a], [b]) => compareText(a, b))
      .map(([, { ref, use, found, usedBy }]) => ({
        ...ref,
        use,
        ...(use === "file" ? { file: fileNameOf(ref) } : {}),
        found,
        usedBy: [...usedBy.values()].sort(compareRefs),
      }));
  }
}
