import { readRecords, readString, readStrings, type JsonRecord } from "../store/json-value.ts";
import type { ClusterStore } from "../store/cluster-store.ts";
import type { ResourceType } from "../store/resource-type.ts";
import type { SimObject } from "../store/sim-api.ts";
import { forbidden } from "../store/status-errors.ts";
import { rbacGroup, type AccessQuestion, type RbacAuthorizer } from "./rbac-authorizer.ts";
import type { UserInfo } from "./user-info.ts";

export interface EscalationContext {
  readonly store: ClusterStore;
  readonly authorizer: RbacAuthorizer;
  readonly user: UserInfo;
  readonly type: ResourceType;
}

/** Nobody grants what they do not hold, unless they may `escalate` roles or `bind` to them. */
export function checkEscalation(context: EscalationContext, object: SimObject): void {
  const { type, user, authorizer } = context;
  const { namespace, name } = object.metadata;
  const isBinding = type.resource === "rolebindings" || type.resource === "clusterrolebindings";
  const subject = isBinding
    ? {
        verb: "bind",
        resource: readString(object, "roleRef.kind") === "Role" ? "roles" : "clusterroles",
        name: readString(object, "roleRef.name") ?? "",
      }
    : { verb: "escalate", resource: type.resource, name };
  const place = namespace === undefined ? {} : { namespace };
  if (authorizer.decide(user, { ...subject, group: rbacGroup, ...place }).allowed) return;
  const rules = isBinding ? boundRules(context.store, object) : readRecords(object, "rules");
  const missing = rules.filter((rule) => !holds(context, rule, namespace));
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(" ");
  throw forbidden(
    type,
    name,
    `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missing.map((rule) => describe(rule)).join("\n")}`,
  );
}

function boundRules(store: ClusterStore, binding: SimObject): readonly JsonRecord[] {
  const name = readString(binding, "roleRef.name") ?? "";
  const role =
    readString(binding, "roleRef.kind") === "Role"
      ? store.get(`roles.${rbacGroup}`, binding.metadata.namespace, name)
      : store.get(`clusterroles.${rbacGroup}`, undefined, name);
  return readRecords(role, "rules");
}

function holds(
  { authorizer, user }: EscalationContext,
  rule: JsonRecord,
  namespace: string | undefined,
): boolean {
  return questionsOf(rule, namespace).every((question) => authorizer.decide(user, question).allowed);
}

/** A rule, taken apart into everything it allows. */
function questionsOf(rule: JsonRecord, namespace: string | undefined): AccessQuestion[] {
  const verbs = readStrings(rule, "verbs");
  const paths = readStrings(rule, "nonResourceURLs").flatMap((path) => verbs.map((verb) => ({ verb, path })));
  const names = readStrings(rule, "resourceNames");
  const places = readStrings(rule, "apiGroups").flatMap((group) =>
    readStrings(rule, "resources").flatMap((resource) =>
      verbs.map((verb) => ({ verb, group, resource, ...(namespace === undefined ? {} : { namespace }) })),
    ),
  );
  return [
    ...paths,
    ...(names.length === 0 ? places : places.flatMap((place) => names.map((name) => ({ ...place, name })))),
  ];
}

function describe(rule: JsonRecord): string {
  const parts = [
    ["APIGroups", "apiGroups"],
    ["Resources", "resources"],
    ["ResourceNames", "resourceNames"],
    ["NonResourceURLs", "nonResourceURLs"],
    ["Verbs", "verbs"],
  ] as const;
  const shown = parts
    .map(([label, field]) => [label, readStrings(rule, field)] as const)
    .filter(([, values]) => values.length > 0)
    .map(([label, values]) => `${label}:[${values.map((value) => JSON.stringify(value)).join(" ")}]`);
  return `{${shown.join(", ")}}`;
}
