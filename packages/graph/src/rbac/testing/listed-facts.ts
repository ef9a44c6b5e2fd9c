import { isRecord } from "@bowline/core";
import type { ApiServer } from "@bowline/test-cluster";

import { kindFacts } from "../../facts/kinds.ts";
import type { ObjectFacts } from "../../model/object-facts.ts";

const group = "rbac.authorization.k8s.io";
const kinds = "roles,clusterroles,rolebindings,clusterrolebindings";

/** The facts of all roles and bindings that a cluster has, its own included. */
export async function listedFacts(cluster: ApiServer): Promise<ObjectFacts[]> {
  const answer: unknown = JSON.parse(await cluster.kubectl(["get", kinds, "--all-namespaces", "-o", "json"]));
  const items: unknown = isRecord(answer) ? answer["items"] : [];
  const objects = Array.isArray(items) ? items.filter((each) => isRecord(each)) : [];
  return objects.map((each) => kindFacts({ group, kind: String(each["kind"]) }).facts(each));
}
