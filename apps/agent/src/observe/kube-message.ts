import type { KubeObject } from "@bowline/kube";

/** A kind, whatever its version: an object is the same one in all of them. */
export interface KindRef {
  /** Empty for the core group. */
  readonly group: string;
  readonly kind: string;
}

/** The owner of an object, by its reference. */
interface Owner {
  readonly uid: string;
  readonly kind: KindRef;
}

/** The least that is known of an object of a watched kind, whoever it belongs to. */
export interface ObjectPlace {
  /** `apps/Deployment` */
  readonly kind: string;
  /** Empty for objects of the cluster as a whole. */
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly owner: Owner | undefined;
}

/**
 * What the cluster has told of an object, or of a kind.
 *
 * - `applied`: the object is there, in this state. It has the fields that were asked for, by whichever consumer.
 * - `deleted`: it is gone.
 * - `restarted`: the kind was read from the beginning, and everything that exists has been told. What a consumer has of
 *   it from before, and the watch does not, went while nobody looked.
 */
export type KubeMessage = KindMessage &
  (
    | { readonly action: "applied"; readonly place: ObjectPlace; readonly object: KubeObject }
    | { readonly action: "deleted"; readonly place: ObjectPlace }
    | { readonly action: "restarted" }
  );

interface KindMessage {
  /** As `kindKey` has it. */
  readonly kind: string;
  /** Empty for objects of the cluster as a whole, and where all namespaces are meant. */
  readonly namespace: string;
  /** Wall clock. */
  readonly observedAtMs: number;
}

/** `apps/Deployment`, and `/Pod` for the core group. */
export function kindKey({ group, kind }: KindRef): string {
  return `${group}/${kind}`;
}

/** Back from `apps/Deployment`. */
export function splitKind(key: string): KindRef {
  const slash = key.lastIndexOf("/");
  return { group: key.slice(0, slash), kind: key.slice(slash + 1) };
}

/** The kind of an owner, from its reference. */
export function kindOf(apiVersion: string, kind: string): KindRef {
  const slash = apiVersion.indexOf("/");
  return { group: slash < 0 ? "" : apiVersion.slice(0, slash), kind };
}

export function placeOf(kind: string, { metadata }: KubeObject): ObjectPlace {
  const { namespace = "", name = "", uid = "" } = metadata;
  return { kind, namespace, name, uid, owner: ownerOf(metadata.ownerReferences) };
}

function ownerOf(references: unknown): Owner | undefined {
  const owners: readonly unknown[] = Array.isArray(references) ? references : [];
  const read = owners.slice(0, 32).flatMap((each) => readOwner(each) ?? []);
  const owner = read.find(({ isController }) => isController) ?? read[0];
  return owner === undefined ? undefined : { uid: owner.uid, kind: owner.kind };
}

function readOwner(value: unknown): (Owner & { readonly isController: boolean }) | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { apiVersion, kind, uid, controller } = value as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof uid !== "string") return undefined;
  return { uid, kind: kindOf(apiVersion, kind), isController: controller === true };
}

/** An object as a watch keeps it. A class, so that caches neither freeze nor look into it. */
export class SeenObject {
  readonly place: ObjectPlace;
  #object: KubeObject | undefined;

  constructor(place: ObjectPlace, object: KubeObject) {
    this.place = place;
    this.#object = object;
  }

  /** Once, so that nobody keeps it. */
  takeObject(): KubeObject | undefined {
    const object = this.#object;
    this.#object = undefined;
    return object;
  }
}
