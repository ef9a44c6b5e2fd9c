import { BowlineError } from "@bowline/core";
import { resources, type KubeClient, type KubeObject, type ResourceRef } from "@bowline/kube";
import type { ValueRef } from "@bowline/monitoring";
import { keyOf } from "@bowline/runtime";

import type { CachedMetadata } from "./cached-object.ts";

type HolderKind = ValueRef["kind"];

/** A Secret or ConfigMap that holds values. */
export type HolderRef = Pick<ValueRef, "kind" | "namespace" | "name">;

interface Holder extends KubeObject {
  data?: Readonly<Record<string, string>>;
  binaryData?: Readonly<Record<string, string>>;
}

interface ReadHolder {
  readonly resourceVersion: string;
  /** Undefined where the operator may not read it. */
  readonly values: ReadonlyMap<string, Buffer> | undefined;
}

interface ReferencedValuesOptions {
  readonly client: KubeClient;
  /** Metadata of a holder, known without reading it; undefined if it does not exist. */
  readonly metadataOf: (ref: HolderRef) => CachedMetadata | undefined;
  /** Whether anybody refers to it still. */
  readonly isReferredTo: (kind: HolderKind, object: CachedMetadata) => boolean;
}

const resourceOf: Readonly<Record<HolderKind, ResourceRef>> = {
  Secret: resources.secrets,
  ConfigMap: resources.configMaps,
};

/**
 * The values of the Secrets and ConfigMaps that configurations refer to, and of no others. Each is read once for every
 * version that the watch of its metadata has shown.
 */
export class ReferencedValues {
  readonly #options: ReferencedValuesOptions;
  readonly #holders = new Map<string, ReadHolder>();

  constructor(options: ReferencedValuesOptions) {
    this.#options = options;
  }

  /** Whether it exists in a version that was not read yet. */
  isStale(ref: HolderRef): boolean {
    const version = this.#options.metadataOf(ref)?.metadata.resourceVersion;
    return version !== undefined && this.#holders.get(idOf(ref))?.resourceVersion !== version;
  }

  isForbidden(ref: HolderRef): boolean {
    return this.#existing(ref) !== undefined && this.#existing(ref)?.values === undefined;
  }

  /** The value as it was last read; undefined when there is none, or none that may be read. */
  bytesOf(ref: ValueRef): Buffer | undefined {
    return this.#existing(ref)?.values?.get(ref.key);
  }

  /** Reads it now. */
  async read(ref: HolderRef, signal: AbortSignal): Promise<void> {
    const { kind, namespace, name } = ref;
    try {
      const holder = await this.#options.client.get<Holder>(resourceOf[kind], { namespace, name, signal });
      const { resourceVersion = "" } = holder.metadata;
      this.#holders.set(idOf(ref), { resourceVersion, values: valuesOf(holder) });
    } catch (error) {
      const { code } = BowlineError.from(error);
      if (code === "NotFound") {
        this.#holders.delete(idOf(ref));
      } else if (code === "Forbidden") {
        const { resourceVersion = "" } = this.#options.metadataOf(ref)?.metadata ?? {};
        this.#holders.set(idOf(ref), { resourceVersion, values: undefined });
      } else {
        throw error;
      }
    }
  }

  /** The next question reads it again. */
  forget(refs: Iterable<HolderRef>): void {
    for (const ref of refs) this.#holders.delete(idOf(ref));
  }

  /** Drops what nobody refers to any more. */
  dropUnreferred(): void {
    for (const id of this.#holders.keys()) {
      const [kind, namespace = "", name = ""] = id.split("/");
      const ref = { metadata: { namespace, name } };
      if (!this.#options.isReferredTo(kind === "Secret" ? "Secret" : "ConfigMap", ref))
        this.#holders.delete(id);
    }
  }

  #existing(ref: HolderRef): ReadHolder | undefined {
    return this.#options.metadataOf(ref) === undefined ? undefined : this.#holders.get(idOf(ref));
  }
}

function idOf({ kind, namespace, name }: HolderRef): string {
  return `${kind}/${keyOf({ metadata: { namespace, name } })}`;
}

function valuesOf({ kind, data = {}, binaryData = {} }: Holder): ReadonlyMap<string, Buffer> {
  const encoding = kind === "Secret" ? "base64" : "utf8";
  const text = Object.entries(data).map(([key, value]) => [key, Buffer.from(value, encoding)] as const);
  const binary = Object.entries(binaryData).map(
    ([key, value]) => [key, Buffer.from(value, "base64")] as const,
  );
  return new Map([...binary, ...text]);
}
