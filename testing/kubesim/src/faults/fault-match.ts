import type { RequestTraits } from "../api/watch-registry.ts";

/** Which requests a fault meets; what is left out matches anything. */
export interface FaultMatch {
  readonly verb?: string | readonly string[];
  /** `pods` or `deployments.apps`. */
  readonly resource?: string | readonly string[];
  readonly namespace?: string;
  /** A part of the user agent, or a pattern it must fit. */
  readonly userAgent?: string | RegExp;
  readonly path?: RegExp;
}

export function matchesFault(match: FaultMatch, traits: RequestTraits): boolean {
  return (
    isOneOf(match.verb, traits.verb) &&
    isOneOf(match.resource, traits.resource) &&
    (match.namespace === undefined || match.namespace === traits.namespace) &&
    fits(match.userAgent, traits.userAgent) &&
    (match.path === undefined || match.path.test(traits.path))
  );
}

function isOneOf(wanted: string | readonly string[] | undefined, value: string | undefined): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? wanted === value : value !== undefined && wanted.includes(value);
}

function fits(wanted: string | RegExp | undefined, value: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === "string" ? value.includes(wanted) : wanted.test(value);
}
