import { BowlineError, hasCode } from "@bowline/core";
import type { KubeList, KubeObject, ResourceRef } from "../object.ts";
import type { ListOptions } from "./client-options.ts";
import type { KubeClient } from "./kube-client.ts";

interface ListPagesOptions extends Omit<ListOptions, "limit" | "continueToken"> {
  /** Objects per page. Default 500, as kubectl asks for. */
  readonly pageSize?: number;
}

interface ListAllOptions extends ListPagesOptions {
  /** More fail with `ResponseTooLarge`: a server that is not one could send page after page. Default 100,000. */
  readonly maxItems?: number;
}

const defaultPageSize = 500;
const defaultMaxItems = 100_000;

/**
 * The pages of a collection, one at a time: nothing but the current page is held. It throws `Expired` when the server
 * has forgotten the version that the list began at, as it does after some minutes (410).
 */
export async function* listPages<T extends KubeObject = KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  { pageSize = defaultPageSize, ...list }: ListPagesOptions = {},
): AsyncGenerator<KubeList<T>, void, void> {
  let token: string | undefined;
  do {
    const page = await client.list<T>(resource, {
      ...list,
      limit: pageSize,
      ...(token === undefined ? {} : { continueToken: token }),
    });
    yield page;
    token = page.metadata.continue === "" ? undefined : page.metadata.continue;
  } while (token !== undefined);
}

/**
 * A whole collection as one snapshot. When its version expires on the way it starts again, and the second time asks
 * for everything at once, which cannot expire.
 */
export async function listAll<T extends KubeObject = KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  options: ListAllOptions = {},
): Promise<KubeList<T>> {
  const { pageSize: _pageSize, maxItems: _maxItems, ...unpaged } = options;
  const attempts = [
    () => collect<T>(client, resource, options),
    () => collect<T>(client, resource, options),
    () => client.list<T>(resource, unpaged),
  ];
  let expired: unknown;
  for (const attempt of attempts) {
    try {
      return await attempt();
    } catch (error) {
      if (!hasCode(error, "Expired")) throw error;
      expired = error;
    }
  }
  throw expired;
}

async function collect<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  { maxItems = defaultMaxItems, ...options }: ListAllOptions,
): Promise<KubeList<T>> {
  let first: KubeList<T> | undefined;
  const items: T[] = [];
  for await (const page of listPages<T>(client, resource, options)) {
    first ??= page;
    for (const item of page.items) items.push(item);
    if (items.length > maxItems) {
      throw new BowlineError(
        "ResponseTooLarge",
        `The API server has more than ${maxItems} objects of the kind ${resource.kind}.`,
      );
    }
  }
  const { resourceVersion } = first?.metadata ?? {};
  return {
    apiVersion: first?.apiVersion ?? "v1",
    kind: first?.kind ?? "List",
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    items,
  };
}
