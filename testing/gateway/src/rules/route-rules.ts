import type { DeepReadonly } from "@bowline/core";

import type { HttpRoute, Redirect, RouteMatch, RouteRule } from "../model/gateway-kinds.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { resolveBackend, type Backend, type Unresolved } from "./references.ts";

interface WeightedBackend {
  readonly weight: number;
  /** Undefined for a reference that leads nowhere: its share of the requests is answered with 500. */
  readonly backend: Backend | undefined;
}

export type Action =
  | { readonly kind: "forward"; readonly backends: readonly WeightedBackend[] }
  | { readonly kind: "redirect"; readonly redirect: DeepReadonly<Redirect> };

export interface PathMatch {
  readonly type: "Exact" | "PathPrefix";
  readonly value: string;
  readonly method: string | undefined;
}

interface ReadRule {
  readonly matches: readonly PathMatch[];
  readonly action: Action;
}

/** The rules of a route as far as they are served here, and what is wrong with the others. */
export interface ReadRules {
  readonly rules: readonly ReadRule[];
  readonly unsupported: Unresolved | undefined;
  readonly unresolved: Unresolved | undefined;
}

export function readRules(route: DeepReadonly<HttpRoute>, snapshot: Snapshot): ReadRules {
  const all = route.spec.rules ?? [];
  const supported = all.filter((rule) => unsupportedPart(rule) === undefined);
  const problems: Unresolved[] = [];
  const rules = supported.map((rule): ReadRule => ({
    matches: (rule.matches?.length ? rule.matches : [{}]).map(readMatch),
    action: actionOf(rule, route, snapshot, problems),
  }));
  const part = all.map(unsupportedPart).find((each) => each !== undefined);
  return {
    rules,
    unresolved: problems[0],
    unsupported:
      part === undefined
        ? undefined
        : { reason: "UnsupportedValue", message: `Rules with ${part} are not served here.` },
  };
}

/** What nginx is not told to do: a rule that has it is left out, rather than served to requests it is not for. */
function unsupportedPart({
  matches = [],
  filters = [],
  backendRefs = [],
}: DeepReadonly<RouteRule>): string | undefined {
  if (matches.some(({ headers }) => headers?.length)) return "matches of headers";
  if (matches.some(({ queryParams }) => queryParams?.length)) return "matches of parameters";
  if (matches.some(({ path }) => path?.type === "RegularExpression")) return "regular expressions";
  const filter = filters.find(
    ({ type, requestRedirect }) => type !== "RequestRedirect" || requestRedirect?.path,
  );
  if (filter !== undefined) return `the filter ${filter.type} or changed paths`;
  return backendRefs.some((each) => each.filters?.length) ? "filters of backends" : undefined;
}

function readMatch({ path = {}, method }: DeepReadonly<RouteMatch>): PathMatch {
  const { type, value = "/" } = path;
  // Prefixes are of whole elements: with or without a slash at its end, it is the same one.
  const prefix = value === "/" ? value : value.replace(/\/+$/u, "");
  return type === "Exact" ? { type, value, method } : { type: "PathPrefix", value: prefix, method };
}

function actionOf(
  { filters = [], backendRefs = [] }: DeepReadonly<RouteRule>,
  { metadata }: DeepReadonly<HttpRoute>,
  snapshot: Snapshot,
  problems: Unresolved[],
): Action {
  const redirect = filters.find(({ requestRedirect }) => requestRedirect !== undefined)?.requestRedirect;
  if (redirect !== undefined) return { kind: "redirect", redirect };
  const from = { kind: "HTTPRoute", namespace: metadata.namespace ?? "" };
  const backends = backendRefs.map((reference): WeightedBackend => {
    const { value, problem } = resolveBackend(reference, from, snapshot);
    if (problem !== undefined) problems.push(problem);
    return { weight: reference.weight ?? 1, backend: value };
  });
  return { kind: "forward", backends };
}
