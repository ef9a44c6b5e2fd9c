import { BowlineError, isRecord } from "@bowline/core";
import type { KubeObject, ResourceRef } from "../object.ts";
import { compileMask, unionMask, type CompiledMask, type FieldMask } from "./field-mask.ts";
import { MaskedCopy } from "./masked-copy.ts";

/** An event as it came, before anybody has looked at what it is. */
interface DecodedEvent {
  readonly type: unknown;
  readonly object: unknown;
}

/** Without these an object cannot be told from another, nor one version from the next. */
const identityFields: FieldMask = {
  apiVersion: true,
  kind: true,
  metadata: { name: true, namespace: true, uid: true, resourceVersion: true },
};

/** One for all: it holds as many bytes as the largest object had, and only while one is decoded are they of use. */
const scratch = new MaskedCopy();

/** Decodes the objects of one resource, whether they come as items of a list or as events of a watch. */
export class ObjectDecoder {
  readonly #resource: ResourceRef;
  readonly #apiVersion: string;
  readonly #itemMask: CompiledMask;
  readonly #eventMask: CompiledMask;

  /** `fields` says what to decode beside the identity. */
  constructor(resource: ResourceRef, fields: FieldMask) {
    const kept = unionMask(identityFields, fields);
    this.#resource = resource;
    this.#apiVersion = resource.group === "" ? resource.version : `${resource.group}/${resource.version}`;
    this.#itemMask = compileMask(kept);
    this.#eventMask = compileMask({ type: true, object: kept });
  }

  decodeItem(bytes: Buffer): KubeObject {
    return this.identified(this.#parse(bytes, this.#itemMask));
  }

  decodeEvent(line: Buffer): DecodedEvent {
    return this.#envelope(this.#parse(line, this.#eventMask));
  }

  /** The object of an event that is none of the resource's: a bookmark or a Status, small and needed in full. */
  decodeEventWhole(line: Buffer): unknown {
    return this.#envelope(this.#parse(line)).object;
  }

  /**
   * Lists leave out what is the same in every item, and metadata-only answers carry another kind; whoever gets the
   * object later should not have to care which way it came.
   */
  identified(value: unknown): KubeObject {
    if (!isRecord(value) || !isRecord(value["metadata"])) throw this.#invalid();
    const { name, resourceVersion } = value["metadata"];
    if (typeof name !== "string" || typeof resourceVersion !== "string") throw this.#invalid();
    return Object.assign(value, {
      apiVersion: this.#apiVersion,
      kind: this.#resource.kind,
      metadata: value["metadata"],
    });
  }

  #envelope(event: unknown): DecodedEvent {
    if (!isRecord(event)) throw this.#invalid();
    return { type: event["type"], object: event["object"] };
  }

  #parse(bytes: Buffer, mask?: CompiledMask): unknown {
    const kept = mask === undefined ? bytes : scratch.copy(bytes, mask);
    try {
      return JSON.parse(kept.toString("utf8"));
    } catch (cause) {
      throw this.#invalid(cause);
    }
  }

  #invalid(cause?: unknown): BowlineError {
    const message = `The API server sent something among ${this.#resource.plural} that is not a valid object.`;
    return new BowlineError("ResponseInvalid", message, { cause });
  }
}
