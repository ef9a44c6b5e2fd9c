import type { Random } from "@bowline/core";

import type { PolicyRule } from "../../model/object-facts.ts";
import type { Rbac, RbacBinding } from "../rbac.ts";
import type { AccessRequest } from "../rule.ts";
import { userOf, type UserInfo } from "../subject.ts";

/** An object as it is sent to an API server. */
export interface RbacObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: object };
  readonly [field: string]: unknown;
}

/** Somebody and what they want to do. */
export interface Question {
  readonly user: UserInfo;
  readonly request: AccessRequest;
}

export const namespaces = ["one", "two", "three", "four"];

const users = ["editor", "other", "somebody", "oidc:https://issuer/reader", "system:serviceaccount:two:web"];
const groups = ["team", "oidc:ops", "readers", "system:serviceaccounts:one", "system:serviceaccounts"];
const accounts = ["web", "worker", "default"];
const verbs = [
  "get",
  "list",
  "watch",
  "create",
  "update",
  "patch",
  "delete",
  "deletecollection",
  "bind",
  "use",
];
const apiGroups = ["", "apps", "batch", "widgets.example"];
const plurals = ["pods", "secrets", "configmaps", "deployments", "jobs", "widgets", "nodes", "clusterroles"];
const subresources = ["log", "exec", "scale", "status", "token"];
const names = ["a", "b", "c", "kube-root-ca.crt"];
const paths = ["/metrics", "/metrics/slow", "/logs/a/b", "/deep/", "/api", "/apis/widgets.example", "/x"];
const pathPatterns = [...paths, "/metrics*", "/logs/*", "/deep/**", "/api/*", "*"];

/** Random roles and bindings, and whoever asks whether they allow something. */
export class RandomRbac {
  readonly #random: Random;

  constructor(random: Random) {
    this.#random = random;
  }

  objects(): RbacObject[] {
    const clusterRoles = many(40, (index) => this.#clusterRole(index));
    const gathering = many(6, (index) => gatheringRole(index));
    const roles = namespaces.flatMap((namespace) => many(8, (index) => this.#role(namespace, index)));
    const clusterBindings = many(16, (index) => this.#clusterBinding(index));
    const bindings = namespaces.flatMap((namespace) => many(14, (index) => this.#binding(namespace, index)));
    return [...clusterRoles, ...gathering, ...roles, ...clusterBindings, ...bindings, ...oddObjects()];
  }

  /** Many of them as some binding allows, the others beside that or about anything. */
  question(rbac: Rbac): Question {
    if (this.#chance(0.3)) return { user: this.#anybody(), request: this.#anything() };
    const given = this.#given(rbac);
    if (this.#chance(0.35)) return given;
    return this.#chance(0.5)
      ? { ...given, user: this.#anybody() }
      : { ...given, request: this.#beside(given.request) };
  }

  anyRequest(rbac: Rbac): AccessRequest {
    return this.#chance(0.3) ? this.#anything() : this.#given(rbac).request;
  }

  #clusterRole(index: number): RbacObject {
    const labels = this.#chance(0.5) ? { gather: `g${this.#below(3)}`, tier: `t${this.#below(2)}` } : {};
    const rules = this.#some(1, 4, () => (this.#chance(0.2) ? this.#pathRule() : this.#rule()));
    return { ...object("ClusterRole", { name: `random-${index}`, labels }), rules };
  }

  #role(namespace: string, index: number): RbacObject {
    const rules = this.#some(0, 4, () => this.#rule());
    return { ...object("Role", { name: `random-${index}`, namespace }), rules };
  }

  #rule(): Partial<PolicyRule> {
    const rule = {
      verbs: this.#some(1, 3, () => (this.#chance(0.05) ? "*" : this.#pick(verbs))),
      apiGroups: this.#some(1, 2, () => (this.#chance(0.05) ? "*" : this.#pick(apiGroups))),
      resources: this.#some(1, 3, () => this.#resourcePattern()),
    };
    if (!this.#chance(0.3)) return rule;
    // An empty name is one that requests without a name have.
    return { ...rule, resourceNames: this.#some(1, 2, () => (this.#chance(0.1) ? "" : this.#pick(names))) };
  }

  #resourcePattern(): string {
    const plural = this.#pick(plurals);
    const subresource = this.#pick(subresources);
    if (this.#chance(0.05)) return "*";
    return this.#pick([plural, plural, `${plural}/${subresource}`, `*/${subresource}`, `${plural}/*`]);
  }

  #pathRule(): Partial<PolicyRule> {
    return {
      verbs: this.#some(1, 2, () => this.#pick(["get", "post", "*"])),
      nonResourceURLs: this.#some(1, 2, () => this.#pick(pathPatterns)),
    };
  }

  #clusterBinding(index: number): RbacObject {
    const roleRef = reference("ClusterRole", this.#roleName());
    const subjects = this.#some(0, 3, () => this.#subject(true));
    return { ...object("ClusterRoleBinding", { name: `random-${index}` }), roleRef, subjects };
  }

  #binding(namespace: string, index: number): RbacObject {
    const kind = this.#chance(0.6) ? "ClusterRole" : "Role";
    const name = kind === "Role" ? `random-${this.#below(10)}` : this.#roleName();
    const subjects = this.#some(1, 3, () => this.#subject(false));
    return {
      ...object("RoleBinding", { name: `random-${index}`, namespace }),
      roleRef: reference(kind, name),
      subjects,
    };
  }

  /** Some do not exist. */
  #roleName(): string {
    return this.#chance(0.25)
      ? this.#pick(["view", "edit", "gathering-0", "gathering-4"])
      : `random-${this.#below(44)}`;
  }

  #subject(isOfCluster: boolean): object {
    const apiGroup = "rbac.authorization.k8s.io";
    if (this.#chance(0.4)) return { kind: "User", apiGroup, name: this.#pick(users) };
    if (this.#chance(0.5)) return { kind: "Group", apiGroup, name: this.#pick(groups) };
    const namespace = isOfCluster || this.#chance(0.7) ? { namespace: this.#pick(namespaces) } : {};
    return { kind: "ServiceAccount", name: this.#pick(accounts), ...namespace };
  }

  #anybody(): UserInfo {
    if (this.#chance(0.1)) return { name: "", groups: [this.#pick(groups)] };
    if (this.#chance(0.05)) return { name: "admin", groups: ["system:masters"] };
    const some = this.#some(0, 2, () => this.#pick(groups));
    if (this.#chance(0.5)) return userOf({ kind: "User", namespace: "", name: this.#pick(users) }, some);
    const account = { kind: "ServiceAccount", namespace: this.#pick(namespaces), name: this.#pick(accounts) };
    // A review is about the groups it has, whoever it is about.
    return this.#chance(0.2) ? { ...userOf(account), groups: some } : userOf(account);
  }

  #anything(): AccessRequest {
    if (this.#chance(0.15)) return { verb: this.#pick(["get", "post"]), nonResourceURL: this.#pick(paths) };
    return {
      verb: this.#pick([...verbs, "*"]),
      group: this.#pick([...apiGroups, "*"]),
      resource: this.#pick([...plurals, "*"]),
      subresource: this.#chance(0.3) ? this.#pick(subresources) : "",
      namespace: this.#chance(0.7) ? this.#pick(namespaces) : "",
      name: this.#chance(0.4) ? this.#pick(names) : "",
    };
  }

  /** A request that some binding of the cluster, a random one, was made to allow, by somebody whom it names. */
  #given(rbac: Rbac): Question {
    const bindings = [...rbac.bindings.values()].filter(
      (each) => each.subjects.length > 0 && (rbac.roleOf(each)?.rules.length ?? 0) > 0,
    );
    const binding = this.#pick(bindings);
    const rule = this.#pick(rbac.roleOf(binding)?.rules ?? []);
    const { subject } = this.#pick(binding.subjects);
    return { user: userOf(subject), request: this.#requestOf(rule, binding) };
  }

  #requestOf(rule: PolicyRule, { node }: RbacBinding): AccessRequest {
    const verb = this.#concrete(rule.verbs, verbs);
    if (rule.resources.length === 0) {
      const pattern = this.#pick(rule.nonResourceURLs);
      return { verb, nonResourceURL: pattern.replace(/\*+$/, () => this.#pick(["", "x", "/x/y"])) };
    }
    const [plural = "", subresource = ""] = this.#concrete(rule.resources, plurals).split("/");
    return {
      verb,
      group: this.#concrete(rule.apiGroups, apiGroups),
      resource: plural === "*" ? this.#pick(plurals) : plural,
      subresource,
      namespace: node.namespace === "" && this.#chance(0.5) ? this.#pick(namespaces) : node.namespace,
      name: rule.resourceNames.length > 0 ? this.#pick(rule.resourceNames) : this.#pick(["", ...names]),
    };
  }

  /** The same, but for one thing. */
  #beside(request: AccessRequest): AccessRequest {
    const other = this.#anything();
    if ("nonResourceURL" in request || "nonResourceURL" in other) return { ...request, verb: other.verb };
    const field = this.#pick(["verb", "group", "resource", "subresource", "namespace", "name"] as const);
    return { ...request, [field]: other[field] };
  }

  #concrete(patterns: readonly string[], values: readonly string[]): string {
    const pattern = this.#pick(patterns);
    return pattern === "*" ? this.#pick(values) : pattern;
  }

  #some<T>(least: number, most: number, make: () => T): T[] {
    return many(least + this.#below(most - least + 1), make);
  }

  #pick<T>(values: readonly T[]): T {
    const value = values[this.#below(values.length)];
    if (value === undefined) throw new Error("There is nothing to pick from.");
    return value;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #chance(share: number): boolean {
    return this.#random() < share;
  }
}

/** What chance makes too seldom. */
function oddObjects(): RbacObject[] {
  const rules = [
    { verbs: ["get"], nonResourceURLs: ["/deep/**"] },
    { verbs: ["get"], nonResourceURLs: ["/x*y", "/y/*/z"] },
    { verbs: ["list"], apiGroups: ["odd.example"], resources: ["things"], resourceNames: [""] },
    { verbs: ["get"], apiGroups: ["odd.example"], resources: ["things/*"] },
    { verbs: ["get", "*"], apiGroups: ["odd.example"], resources: ["*/"] },
    { verbs: ["get"], apiGroups: ["odd.example"], resources: ["*/*"], resourceNames: ["*"] },
  ];
  const subjects = [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: "odd" }];
  return [
    { ...object("ClusterRole", { name: "odd" }), rules },
    ...many(3, (index) => ({
      ...object("ClusterRoleBinding", { name: `odd-${index}` }),
      roleRef: reference("ClusterRole", "odd"),
      subjects,
    })),
  ];
}

/** The last ones gather what others have gathered. */
function gatheringRole(index: number): RbacObject {
  const clusterRoleSelectors =
    index < 4
      ? [
          { matchLabels: { gather: `g${index % 3}` } },
          {
            matchExpressions: [{ key: "gather", operator: "In", values: [`g${(index + 1) % 3}`] }],
            matchLabels: { tier: "t1" },
          },
        ]
      : [{ matchExpressions: [{ key: "gathered", operator: "Exists" }] }];
  const labels = index < 4 ? { gathered: "yes" } : {};
  return {
    ...object("ClusterRole", { name: `gathering-${index}`, labels }),
    aggregationRule: { clusterRoleSelectors },
    rules: [],
  };
}

function object(kind: string, metadata: RbacObject["metadata"]): RbacObject {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind, metadata };
}

function reference(kind: string, name: string): object {
  return { apiGroup: "rbac.authorization.k8s.io", kind, name };
}

function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
