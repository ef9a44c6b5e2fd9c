import type { ResourceType } from "./resource-type.ts";
import type { SimObject } from "./sim-api.ts";
import { badRequest, forbidden, notFound } from "./status-errors.ts";

/** Nothing new comes into a namespace that is missing or on its way out. */
export function admitIntoNamespace(
  type: ResourceType,
  object: SimObject,
  namespace: SimObject | undefined,
): void {
  const name = object.metadata.namespace;
  if (name === undefined || name === "")
    throw badRequest("an empty namespace may not be set during creation");
  if (!namespace) throw notFound({ group: "", resource: "namespaces" }, name);
  if (namespace.metadata.deletionTimestamp === undefined) return;
  throw forbidden(
    type,
    object.metadata.name,
    `unable to create new content in namespace ${name} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${name} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );
}

const immortal = new Set(["default", "kube-system", "kube-public"]);

export function admitNamespaceDeletion(name: string): void {
  if (immortal.has(name)) {
    throw forbidden({ group: "", resource: "namespaces" }, name, "this namespace may not be deleted");
  }
}
