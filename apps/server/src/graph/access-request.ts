import { BowlineError } from "@bowline/core";
import {
  graphKinds,
  isClusterResource,
  parseNodeKey,
  pluralOf,
  type AccessRequest,
  type NodeRef,
} from "@bowline/graph";

import { kindNamed } from "./node-named.ts";

export interface AccessQuestion {
  readonly verb: string;
  /** `secrets`, `deployments.apps`, `pods/exec`, or `/metrics` for a path that is no resource. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

/** Resources that people name without their group, or in the singular. */
const resourceNames: ReadonlyMap<string, { readonly group: string; readonly resource: string }> = new Map(
  graphKinds.flatMap(({ group, kind }) => {
    const singular = kind.toLowerCase();
    const resource = pluralOf(singular);
    return [singular, resource].map((name) => [name, { group, resource }] as const);
  }),
);

/** The request that is asked about. Without a namespace it is about any, unless the resource is in none. */
export function accessRequestOf({ verb, resource, namespace, name }: AccessQuestion): AccessRequest {
  if (resource.startsWith("/")) return { verb, nonResourceURL: resource };
  const [whole = "", subresource, ...more] = resource.split("/");
  const [plural = "", ...groups] = whole.split(".");
  if (plural === "" || subresource === "" || more.length > 0) {
    throw new BowlineError(
      "InvalidArgument",
      "The parameter resource must be a resource such as secrets, deployments.apps or pods/exec, or a path such as /metrics.",
    );
  }
  const named =
    groups.length > 0
      ? { group: groups.join("."), resource: plural }
      : (resourceNames.get(plural.toLowerCase()) ?? { group: "", resource: plural });
  return {
    verb,
    ...named,
    ...(subresource === undefined ? {} : { subresource }),
    namespace: isClusterResource(named) ? "" : namespace,
    ...(name === undefined ? {} : { name }),
  };
}

/** Whom `user:NAME`, `group:NAME`, `serviceaccount:NAMESPACE/NAME` and what is in addresses of nodes mean. */
export function subjectNamed(text: string): NodeRef {
  const colon = text.indexOf(":");
  const [type, rest] = [text.slice(0, colon).toLowerCase(), text.slice(colon + 1)];
  if (type === "user" && rest !== "") return { kind: "User", namespace: "", name: rest };
  if (type === "group" && rest !== "") return { kind: "Group", namespace: "", name: rest };
  const [namespace = "", name = "", ...more] = rest.split("/");
  const isAccount = type === "serviceaccount" || type === "sa";
  if (isAccount && namespace !== "" && name !== "" && more.length === 0) {
    return { kind: "ServiceAccount", namespace, name };
  }
  const ref = parseNodeKey(text);
  const kind = ref === undefined ? "" : kindNamed(ref.kind);
  if (ref !== undefined && ["User", "Group", "ServiceAccount"].includes(kind)) return { ...ref, kind };
  throw new BowlineError(
    "InvalidArgument",
    "The parameter subject must be user:NAME, group:NAME or serviceaccount:NAMESPACE/NAME.",
  );
}
