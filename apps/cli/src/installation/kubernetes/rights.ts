import type { KubeObject } from "@bowline/kube";
import { isRecord } from "@bowline/core";

import type { KubeCluster, ObjectPlace } from "./kube-cluster.ts";

interface Right {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

interface NeededFor {
  readonly namespace: string;
  readonly places: readonly ObjectPlace[];
  /** Whether there are volumes to look at. */
  readonly claims: boolean;
}

/** Each right that is missing for all that `up` does and `down` undoes, in words. */
export async function missingRights(
  cluster: KubeCluster,
  needed: NeededFor,
  signal: AbortSignal,
): Promise<string[]> {
  const rights = neededRights(needed);
  const answers = await Promise.all(rights.map((right) => isAllowed(cluster, right, signal)));
  const missing = rights.filter((_, index) => answers[index] === false);
  const byPlace = Map.groupBy(missing, placeOf);
  return [...byPlace].map(([place, group]) => `${group.map(({ verb }) => verb).join(", ")} ${place}`);
}

function neededRights({ namespace, places, claims }: NeededFor): Right[] {
  const verbs = ["get", "list", "create", "patch", "delete"];
  const rights = places.flatMap(({ resource, namespace: own }) =>
    verbs.map((verb): Right => {
      const right = { verb, group: resource.group, resource: resource.plural };
      return own === undefined ? right : { ...right, namespace: own };
    }),
  );
  const core = (verb: string, resource: string, subresource?: string): Right => ({
    verb,
    group: "",
    resource,
    namespace,
    ...(subresource === undefined ? {} : { subresource }),
  });
  const more: Right[] = [
    { verb: "get", group: "", resource: "namespaces" },
    ...verbs.map((verb) => core(verb, "secrets")),
    core("list", "pods"),
    core("get", "pods", "log"),
    core("get", "endpoints"),
    // By WebSocket: Kubernetes asks for the first, and from 1.35 on for both.
    core("get", "pods", "portforward"),
    core("create", "pods", "portforward"),
    ...(claims ? ["get", "list", "delete"].map((verb) => core(verb, "persistentvolumeclaims")) : []),
  ];
  const all = new Map([...rights, ...more].map((right) => [`${right.verb} ${placeOf(right)}`, right]));
  return [...all.values()];
}

async function isAllowed({ client }: KubeCluster, right: Right, signal: AbortSignal): Promise<boolean> {
  const { resources } = await import("@bowline/kube");
  const review: KubeObject = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    metadata: {},
    spec: { resourceAttributes: right },
  };
  const { status } = await client.create(resources.selfSubjectAccessReviews, review, { signal });
  return isRecord(status) && status["allowed"] === true;
}

/** `deployments.apps in bowline-system` */
function placeOf({ group, resource, subresource, namespace }: Right): string {
  const kind = `${resource}${subresource === undefined ? "" : `/${subresource}`}${group === "" ? "" : `.${group}`}`;
  return `${kind}${namespace === undefined ? "" : ` in ${namespace}`}`;
}
