import type { SimObject, SimOwnerReference } from "../store/sim-api.ts";

/** The one owner that manages an object, if it has any. */
export function controllerOf(object: SimObject): SimOwnerReference | undefined {
  return object.metadata.ownerReferences?.find((reference) => reference.controller === true);
}

export function isControlledBy(object: SimObject, owner: SimObject): boolean {
  return controllerOf(object)?.uid === owner.metadata.uid;
}

export function controllerReference(owner: SimObject): SimOwnerReference {
  return {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Index keys: the uid of the controller, or the namespace in brackets for objects nobody manages. */
export function ownerKeys(object: SimObject): readonly string[] {
  const controller = controllerOf(object);
  return [controller === undefined ? orphanKey(object.metadata.namespace) : controller.uid];
}

export function orphanKey(namespace: string | undefined): string {
  return `[${namespace ?? ""}]`;
}

/** The object as its new controller owns it. */
export function adopted<T extends SimObject>(object: T, owner: SimObject): T {
  const references = [...(object.metadata.ownerReferences ?? []), controllerReference(owner)];
  return { ...object, metadata: { ...object.metadata, ownerReferences: references } };
}

/** The object without its former controller. */
export function released<T extends SimObject>(object: T, owner: SimObject): T {
  const { ownerReferences = [], ...metadata } = object.metadata;
  const others = ownerReferences.filter((reference) => reference.uid !== owner.metadata.uid);
  return {
    ...object,
    metadata: others.length === 0 ? metadata : { ...metadata, ownerReferences: others },
  };
}
