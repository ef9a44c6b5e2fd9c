import type { NodeRef } from "../model/node.ts";
import type { PolicyRule } from "../model/object-facts.ts";

/** What somebody wants to do: to a resource, or to a path that is none. */
export type AccessRequest = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** In the plural, without its subresource. */
  readonly resource: string;
  readonly subresource?: string | undefined;
  /** Empty or absent for the whole cluster: what is in no namespace, or a list over all of them. */
  readonly namespace?: string | undefined;
  /** Empty or absent where a request names none, as `list` and `create` do. */
  readonly name?: string | undefined;
}

export interface PathRequest {
  readonly verb: string;
  readonly nonResourceURL: string;
}

/** Where a rule is written. */
export interface RuleRef {
  readonly role: NodeRef;
  readonly index: number;
  /** JSON pointer in the role. */
  readonly at: string;
}

const wildcard = "*";

/** Whether a rule allows a request in the place it is granted for. What one rule lists belongs together. */
export function ruleAllows(rule: PolicyRule, request: AccessRequest): boolean {
  if ("nonResourceURL" in request) {
    return hasOrAll(rule.verbs, request.verb) && coversPath(rule, request.nonResourceURL);
  }
  return coversResource(rule, request) && coversName(rule, request.name ?? "");
}

/** Whether a rule allows to do something to at least one object of a resource. */
export function coversResource(
  rule: PolicyRule,
  { verb, group, resource, subresource = "" }: Omit<ResourceRequest, "namespace" | "name">,
): boolean {
  if (!hasOrAll(rule.verbs, verb) || !hasOrAll(rule.apiGroups, group)) return false;
  if (subresource === "") return hasOrAll(rule.resources, resource);
  return (
    hasOrAll(rule.resources, `${resource}/${subresource}`) || rule.resources.includes(`*/${subresource}`)
  );
}

/** Names are compared as they are, so that a rule with names never covers a request that has none. */
function coversName({ resourceNames }: PolicyRule, name: string): boolean {
  return resourceNames.length === 0 || resourceNames.includes(name);
}

function coversPath({ nonResourceURLs }: PolicyRule, path: string): boolean {
  return nonResourceURLs.some((pattern) =>
    pattern.endsWith(wildcard) ? path.startsWith(pattern.replace(/\*+$/, "")) : path === pattern,
  );
}

function hasOrAll(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes(wildcard);
}

/** Two rules are the same if they list the same in the same order. */
export function ruleKey({ verbs, apiGroups, resources, resourceNames, nonResourceURLs }: PolicyRule): string {
  return JSON.stringify([verbs, apiGroups, resources, resourceNames, nonResourceURLs]);
}

/** `get,list secrets named db`, for people. */
export function ruleText(rule: PolicyRule): string {
  const verbs = rule.verbs.join(",");
  if (rule.resources.length === 0) return `${verbs} ${rule.nonResourceURLs.join(",")}`;
  const groups = rule.apiGroups.filter((each) => each !== "");
  const of = groups.length === 0 ? "" : ` of ${groups.join(",")}`;
  const names = rule.resourceNames.length === 0 ? "" : ` named ${rule.resourceNames.join(",")}`;
  return `${verbs} ${rule.resources.join(",")}${of}${names}`;
}
