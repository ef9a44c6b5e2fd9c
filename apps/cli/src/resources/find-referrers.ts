import { printFieldSelector, referencesOf, type Kind, type Referrer } from "@bowline/api";
import type { Client } from "@bowline/client";
import { hasCode } from "@bowline/core";

import { listObjects } from "./find-objects.ts";
import type { FoundObject, Resource } from "./resource.ts";

/** More would not be read. */
export const maxRelated = 50;

interface FoundReferrers {
  readonly objects: readonly FoundObject[];
  /** The kind, where whoever asks may not list it. */
  readonly hidden: readonly Kind[];
}

interface ReferrerOptions {
  readonly referrer: Referrer;
  readonly signal: AbortSignal;
}

/**
 * The objects that refer to one by a field of theirs. The server finds them where it can filter by the field; elsewhere
 * all objects of that kind are looked through.
 */
export async function findReferrers(
  client: Client,
  { name }: Resource,
  { referrer: { from, reference }, signal }: ReferrerOptions,
): Promise<FoundReferrers> {
  const field = from.filterable.find(({ text }) => text === reference.field.replaceAll("[]", ""));
  const fieldSelector = field && printFieldSelector([{ field, operator: "=", value: name }]);
  try {
    const { objects } = await listObjects(client, from, {
      query: { fieldSelector },
      limit: field === undefined ? undefined : maxRelated,
      signal,
    });
    const naming = objects.filter(({ object }) =>
      referencesOf(from, object).some((other) => other.field === reference.field && other.name === name),
    );
    return { objects: naming.slice(0, maxRelated), hidden: [] };
  } catch (thrown) {
    if (hasCode(thrown, "Forbidden")) return { objects: [], hidden: [from] };
    throw thrown;
  }
}
