import type { Field } from "../field/field.ts";
import { unlessNone, type ConfigMap } from "../model/config-value.ts";
import { printSelector, type SelectorTerm } from "../select/label-selector.ts";
import type { Scope } from "./scope.ts";
import type { Settings } from "./settings.ts";

export interface Discovery {
  readonly role: "endpoints" | "endpointslice" | "pod" | "ingress";
  readonly namespaces: readonly string[] | undefined;
  /** Selectors that the API server applies, so that the collector does not load what it would drop. */
  readonly selectors?: readonly ConfigMap[];
  readonly attachesNode?: boolean | undefined;
}

export function kubernetesDiscovery(discovery: Discovery, settings: Settings): readonly ConfigMap[] {
  const { role, namespaces, selectors = [], attachesNode } = discovery;
  return [
    {
      role,
      namespaces: namespaces === undefined ? undefined : { names: namespaces },
      ...settings.apiServer,
      selectors: unlessNone(selectors),
      attach_metadata: attachesNode === undefined ? undefined : { node: attachesNode },
    },
  ];
}

/** Whether discovery asks the cluster that the collector runs in, and not another that the root names. */
export function asksThisCluster({ apiServer }: Settings): boolean {
  return apiServer["api_server"] === undefined;
}

/** The namespaces to look in; undefined for all. */
export function namespacesOf(
  selector: Field,
  scope: Scope,
  settings: Settings,
): readonly string[] | undefined {
  const own = [scope.owner.namespace];
  const names = selector.get("matchNames").texts();
  if (settings.ignoreNamespaceSelectors) return own;
  if (selector.get("any").flag() === true) return undefined;
  return names.length === 0 ? own : names;
}

export function usesRoleSelector(spec: Field, scope: Scope): boolean {
  const mechanism = spec.get("selectorMechanism").choice(["RelabelConfig", "RoleSelector"]);
  return mechanism === "RoleSelector" && scope.isAtLeast("2.17");
}

/** One selector per role; none for a selector that selects everything. */
export function roleSelectors(roles: readonly string[], terms: readonly SelectorTerm[]): ConfigMap[] {
  if (terms.length === 0) return [];
  return roles.map((role) => ({ role, label: printSelector(terms) }));
}
