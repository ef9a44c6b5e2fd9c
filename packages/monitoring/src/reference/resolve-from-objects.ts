import { formatRef, refOf, type KubeObject } from "../model/kube-object.ts";
import type { Resolve } from "./reference.ts";

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
