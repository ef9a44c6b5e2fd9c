import type { ClusterAccess } from "@bowline/api";
import { isRecord } from "@bowline/core";
import type { KubeObject } from "@bowline/kube/shapes";

import { request } from "../live/request.ts";
import { clusterPath, resourceName, type ObjectPlace } from "./places.ts";
import { podSelector } from "./pod-selector.ts";
import { isScalable } from "./scale.ts";

/** What somebody can do to an object on its page, beyond looking at it. */
export type ObjectAction = "edit" | "scale" | "delete" | "logs" | "shell" | "values";

/** One question to the cluster about whoever asks. */
interface Review {
  readonly verb: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** Why each action is not allowed, in words; an action that is, or of which it is not known, is missing. */
export type RefusedActions = Readonly<Partial<Record<ObjectAction, string>>>;

/** The reviews that each action of an object asks for: it is refused when all of them are. */
export function reviewsOf(place: ObjectPlace, object: KubeObject): Map<ObjectAction, readonly Review[]> {
  const { group, resource, namespace, name } = place;
  const where = namespace === undefined ? {} : { namespace };
  const itself = { group, resource, ...where, name };
  const isPod = group === "" && resource === "pods";
  const pods = { group: "", resource: "pods", ...where, ...(isPod ? { name } : {}) };
  const reviews = new Map<ObjectAction, readonly Review[]>([
    ["edit", [{ ...itself, verb: "patch" }]],
    ["delete", [{ ...itself, verb: "delete" }]],
  ]);
  if (isScalable(place)) reviews.set("scale", [{ ...itself, verb: "patch", subresource: "scale" }]);
  if (isPod || podSelector(object) !== undefined) {
    reviews.set("logs", [{ ...pods, verb: "get", subresource: "log" }]);
  }
  // A WebSocket is a GET, and Kubernetes from 1.35 on wants to be allowed a create as well.
  if (isPod) {
    reviews.set(
      "shell",
      ["create", "get"].map((verb) => ({ ...pods, verb, subresource: "exec" })),
    );
  }
  if (group === "" && resource === "secrets") reviews.set("values", [{ ...itself, verb: "get" }]);
  return reviews;
}

/**
 * As whom the cluster would be asked. A review names no namespace in its path, so it is made by the first grant of all;
 * where another one covers the object, the answer would be about somebody else, and is not asked for.
 */
export function reviewer(
  { grants }: ClusterAccess,
  { namespace }: ObjectPlace,
): { readonly covering: ClusterAccess["grants"][number] | undefined; readonly canReview: boolean } {
  const covering = grants.find(
    ({ namespaces }) =>
      namespaces === undefined || (namespace !== undefined && namespaces.includes(namespace)),
  );
  const [first] = grants;
  return { covering, canReview: covering !== undefined && isSameUser(first, covering) };
}

type Grant = ClusterAccess["grants"][number];

function isSameUser(a: Grant | undefined, b: Grant): boolean {
  return a?.user === b.user && a.groups.join("\n") === b.groups.join("\n");
}

/** Which actions are refused to whoever asks, by Bowline's grants or by the cluster. What cannot be told is not refused. */
export async function readRefusedActions(
  place: ObjectPlace,
  object: KubeObject,
  access: ClusterAccess,
  signal: AbortSignal,
): Promise<RefusedActions> {
  const { covering, canReview } = reviewer(access, place);
  const reviews = [...reviewsOf(place, object)];
  if (covering === undefined) {
    return Object.fromEntries(reviews.map(([action]) => [action, withoutGrant(place)]));
  }
  if (!canReview) return {};
  const refused = await Promise.all(
    reviews.map(async ([action, questions]) => {
      const answers = await Promise.all(questions.map((review) => isRefused(place.cluster, review, signal)));
      const [asked] = questions;
      return answers.every(Boolean) && asked !== undefined
        ? [[action, byCluster(place, covering, asked)] as const]
        : [];
    }),
  );
  return Object.fromEntries(refused.flat());
}

function withoutGrant({ cluster, namespace }: ObjectPlace): string {
  const where = namespace === undefined ? "what is in no namespace" : `the namespace ${namespace}`;
  return `No AccessGrant of yours covers ${where} of ${cluster}; an admin can write one.`;
}

function byCluster({ cluster }: ObjectPlace, grant: Grant, review: Review): string {
  const { verb, group, resource, subresource, namespace } = review;
  const what = `${resourceName({ group, resource })}${subresource === undefined ? "" : `/${subresource}`}`;
  const where = namespace === undefined ? "" : ` in ${namespace}`;
  return `The RBAC of ${cluster} does not let ${grant.user} ${verb} ${what}${where} (by your AccessGrant ${grant.name}).`;
}

async function isRefused(cluster: string, review: Review, signal: AbortSignal): Promise<boolean> {
  const path = clusterPath(cluster, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews");
  const body = {
    apiVersion: "authorization.k8s.io/v1",
    kind: "SelfSubjectAccessReview",
    spec: { resourceAttributes: review },
  };
  try {
    const answer = await request<unknown>(path, { method: "POST", body, signal });
    const status = isRecord(answer) ? answer["status"] : undefined;
    return isRecord(status) && status["allowed"] === false;
  } catch (error) {
    if (signal.aborted) throw error;
    // Whoever cannot ask is told when they try.
    return false;
  }
}
