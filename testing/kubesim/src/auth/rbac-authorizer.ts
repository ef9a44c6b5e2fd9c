import type { ClusterStore } from "../store/cluster-store.ts";
import { readPath, readRecords, readString, readStrings, type JsonRecord } from "../store/json-value.ts";
import type { SimObject } from "../store/sim-api.ts";
import type { UserInfo } from "./user-info.ts";

/** What somebody wants to do, to a resource or to a path. */
export type AccessQuestion = ResourceQuestion | PathQuestion;

export interface ResourceQuestion {
  readonly verb: string;
  readonly group: string;
  /** With its subresource, as in `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

interface PathQuestion {
  readonly verb: string;
  readonly path: string;
}

export interface AccessAnswer {
  readonly allowed: boolean;
  readonly reason: string;
}

/** A rule of a Role or ClusterRole, and where it applies: everywhere, or in one namespace. */
export interface GrantedRule {
  readonly rule: JsonRecord;
  readonly namespace: string | undefined;
  readonly reason: string;
}

export const rbacGroup = "rbac.authorization.k8s.io";

/** Answers from the Roles and bindings in the store, as they are at the moment of the question. */
export class RbacAuthorizer {
  readonly #store: ClusterStore;

  constructor(store: ClusterStore) {
    this.#store = store;
  }

  decide(user: UserInfo, question: AccessQuestion): AccessAnswer {
    if (user.groups.includes("system:masters")) return { allowed: true, reason: "" };
    const namespace = "path" in question ? undefined : question.namespace;
    for (const { rule, reason, namespace: scope } of this.rulesFor(user, namespace)) {
      const covers =
        "path" in question
          ? scope === undefined && coversPath(rule, question)
          : coversResource(rule, question);
      if (covers) return { allowed: true, reason };
    }
    return { allowed: false, reason: "" };
  }

  /** Every rule that speaks for a user, cluster-wide and in one namespace. */
  *rulesFor(user: UserInfo, namespace: string | undefined): Generator<GrantedRule> {
    for (const binding of this.#store.list(`clusterrolebindings.${rbacGroup}`)) {
      yield* this.#rulesOf(binding, user, undefined);
    }
    if (namespace === undefined || namespace === "") return;
    for (const binding of this.#store.list(`rolebindings.${rbacGroup}`, namespace)) {
      yield* this.#rulesOf(binding, user, namespace);
    }
  }

  *#rulesOf(binding: SimObject, user: UserInfo, namespace: string | undefined): Generator<GrantedRule> {
    const subject = readRecords(binding, "subjects").find((each) => isSubject(each, user, namespace));
    if (!subject) return;
    const role = this.#roleOf(binding, namespace);
    if (!role) return;
    const bindingName =
      namespace === undefined ? binding.metadata.name : `${binding.metadata.name}/${namespace}`;
    const reason = `RBAC: allowed by ${binding.kind} "${bindingName}" of ${role.kind} "${role.metadata.name}" to ${subjectText(subject)}`;
    for (const rule of this.#allRules(role)) yield { rule, namespace, reason };
  }

  #roleOf(binding: SimObject, namespace: string | undefined): SimObject | undefined {
    const name = readString(binding, "roleRef.name") ?? "";
    return readString(binding, "roleRef.kind") === "Role"
      ? this.#store.get(`roles.${rbacGroup}`, namespace, name)
      : this.#store.get(`clusterroles.${rbacGroup}`, undefined, name);
  }

  /** The rules of a role; an aggregated ClusterRole has those of all roles it selects. */
  #allRules(role: SimObject): readonly JsonRecord[] {
    const selectors = readRecords(role, "aggregationRule.clusterRoleSelectors");
    if (selectors.length === 0) return readRecords(role, "rules");
    const selected = this.#store.list(`clusterroles.${rbacGroup}`).filter((each) =>
      selectors.some((selector) => {
        const wanted = Object.entries(readPath(selector, "matchLabels") ?? {});
        return wanted.length > 0 && wanted.every(([key, value]) => each.metadata.labels?.[key] === value);
      }),
    );
    return [role, ...selected].flatMap((each) => readRecords(each, "rules"));
  }
}

function isSubject(subject: JsonRecord, user: UserInfo, namespace: string | undefined): boolean {
  const name = String(subject["name"]);
  switch (subject["kind"]) {
    case "User":
      return user.name === name;
    case "Group":
      return user.groups.includes(name);
    case "ServiceAccount": {
      const home = readString(subject, "namespace") ?? namespace;
      return home !== undefined && user.name === `system:serviceaccount:${home}:${name}`;
    }
    default:
      return false;
  }
}

function subjectText(subject: JsonRecord): string {
  const name = String(subject["name"]);
  return subject["kind"] === "ServiceAccount"
    ? `ServiceAccount "${name}/${readString(subject, "namespace") ?? ""}"`
    : `${String(subject["kind"])} "${name}"`;
}

function coversPath(rule: JsonRecord, { verb, path }: PathQuestion): boolean {
  if (!includes(readStrings(rule, "verbs"), verb)) return false;
  return readStrings(rule, "nonResourceURLs").some((pattern) =>
    pattern.endsWith("*") ? path.startsWith(pattern.slice(0, -1)) : path === pattern,
  );
}

function coversResource(rule: JsonRecord, question: ResourceQuestion): boolean {
  if (!includes(readStrings(rule, "verbs"), question.verb)) return false;
  if (!includes(readStrings(rule, "apiGroups"), question.group)) return false;
  if (!readStrings(rule, "resources").some((pattern) => matchesResource(pattern, question.resource)))
    return false;
  const names = readStrings(rule, "resourceNames");
  return names.length === 0 || (question.name !== undefined && names.includes(question.name));
}

function matchesResource(pattern: string, resource: string): boolean {
  if (pattern === "*" || pattern === resource) return true;
  const subresource = resource.split("/")[1];
  return subresource !== undefined && pattern === `*/${subresource}`;
}

function includes(patterns: readonly string[], value: string): boolean {
  return patterns.includes("*") || patterns.includes(value);
}
