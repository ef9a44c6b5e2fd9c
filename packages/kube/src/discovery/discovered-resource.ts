import type { BowlineError } from "@bowline/core";
import type { ResourceRef } from "../object.ts";

/** A resource as the server describes it. */
export interface DiscoveredResource extends ResourceRef {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly verbs: readonly string[];
  readonly subresources: readonly string[];
}

export interface DiscoveredGroup {
  /** Empty for the core group. */
  readonly name: string;
  /** Most wanted first. */
  readonly versions: readonly string[];
}

/** A group version that could not be read; an aggregated API whose server is down is the usual reason. */
export interface DiscoveryFailure {
  readonly group: string;
  readonly version: string;
  readonly error: BowlineError;
}

/** What a server offers. Groups and resources are in the server's order of preference. */
export interface DiscoveredApis {
  readonly groups: readonly DiscoveredGroup[];
  readonly resources: readonly DiscoveredResource[];
  readonly failures: readonly DiscoveryFailure[];
}

export function joinApis(parts: readonly DiscoveredApis[]): DiscoveredApis {
  return {
    groups: parts.flatMap((part) => part.groups),
    resources: parts.flatMap((part) => part.resources),
    failures: parts.flatMap((part) => part.failures),
  };
}
