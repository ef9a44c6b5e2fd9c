import { parseLabelSelector } from "@bowline/api";

import { printSelector, type SelectorTerm } from "../check/label-selector.ts";
import { readHttpUrl } from "../check/prometheus-values.ts";
import type { Scope } from "../check/scope.ts";
import { nonEmptyList, nonEmptyMap, type ConfigMap } from "../model/config-value.ts";
import type { Field } from "../model/field.ts";
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
      selectors: nonEmptyList(selectors),
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

const roles = ["Pod", "Endpoints", "Ingress", "Service", "Node", "EndpointSlice"] as const;

/** Roles whose objects are read besides those of the role itself. */
const alsoRead: Readonly<Partial<Record<string, readonly string[]>>> = {
  Endpoints: ["Pod", "Service"],
  EndpointSlice: ["Pod", "Service"],
};

/** Fields that Prometheus takes only together with the address of an API server. */
const clientFields = [
  "basicAuth",
  "authorization",
  "oauth2",
  "tlsConfig",
  "proxyUrl",
  "noProxy",
  "proxyFromEnvironment",
  "proxyConnectHeader",
];

/** A discovery in Kubernetes that a ScrapeConfig writes out; all that Prometheus would refuse there is a problem. */
export function kubernetesSdConfig(item: Field, scope: Scope): ConfigMap {
  const role = item.get("role");
  if (!role.present) role.reject(`${role.path} is missing.`, `Give one of ${roles.join(", ")}.`);
  checkServer(item);
  checkSelectors(item);
  return {
    role: role.choice(roles)?.toLowerCase(),
    api_server: readHttpUrl(item.get("apiServer")),
    namespaces: nonEmptyMap({
      own_namespace: item.get("namespaces").get("ownNamespace").flag(),
      names: nonEmptyList(item.get("namespaces").get("names").texts()),
    }),
    selectors: nonEmptyList(
      item
        .get("selectors")
        .list()
        .map((selector) => ({
          role: selector.get("role").choice(roles)?.toLowerCase(),
          label: selector.get("label").word(),
          field: selector.get("field").word(),
        })),
    ),
    attach_metadata: scope.since("2.35", item.get("attachMetadata"), (attach) =>
      nonEmptyMap({ node: attach.get("node").flag() }),
    ),
  };
}

function checkServer(item: Field): void {
  const server = item.get("apiServer");
  const hasServer = server.word() !== undefined;
  const isOwnClient =
    clientFields.some((name) => item.get(name).present) ||
    ["followRedirects", "enableHTTP2"].some((name) => item.get(name).value === false);
  if (isOwnClient && !hasServer) {
    server.reject(
      `${server.path} is missing, which credentials and settings of the connection need.`,
      "Give apiServer, or remove the credentials and settings.",
    );
  }
  const own = item.get("namespaces").get("ownNamespace");
  if (hasServer && own.value === true) {
    own.reject(`${own.path} has no meaning in another cluster.`, "Remove ownNamespace, or apiServer.");
  }
}

function checkSelectors(item: Field): void {
  const role = item.get("role").word() ?? "";
  const allowed = [role, ...(alsoRead[role] ?? [])];
  const seen = new Set<string>();
  for (const selector of item.get("selectors").list()) {
    const of = selector.get("role").word() ?? "";
    if (!allowed.includes(of) || seen.has(of)) {
      const fix = `Give one selector at most for each of ${allowed.join(", ")}.`;
      selector.get("role").reject(`${selector.path}.role is not read for this discovery, or twice.`, fix);
    }
    seen.add(of);
    checkSelector(selector.get("label"), isLabelSelector);
    checkSelector(selector.get("field"), (text) => fieldSelector.test(text));
  }
}

function checkSelector(field: Field, isValid: (text: string) => boolean): void {
  const text = field.word();
  if (text !== undefined && !isValid(text)) {
    field.reject(`${field.path} is no selector.`, "Write a selector as kubectl takes it, such as app=web.");
  }
}

const fieldSelector = /^[\w./-]+(?:==?|!=)[\w./:-]*(?:,[\w./-]+(?:==?|!=)[\w./:-]*)*$/u;

function isLabelSelector(text: string): boolean {
  try {
    parseLabelSelector(text);
    return true;
  } catch {
    return false;
  }
}
