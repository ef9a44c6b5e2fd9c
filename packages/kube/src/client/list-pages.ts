import { BowlineError } from "@bowline/core";
import type { KubeList, KubeObject, ResourceRef } from "../object.ts";
import type { ListOptions } from "./client-options.ts";
import type { KubeClient } from "./kube-client.ts";

export interface ListPagesOptions extends Omit<ListOptions, "limit" | "continueToken"> {
  /** Objects per page. Default 500, as kubectl asks for. */
  readonly pageSize?: number;
  /**
   * A server forgets the version a list began at after some minutes (410). `fail` throws `Expired`; `goOn` takes the
   * rest at a newer version: nothing comes twice, but the pages are then no snapshot of one moment, and a watch must
   * not start from their resourceVersion. Default `fail`.
   */
  readonly whenExpired?: "fail" | "goOn";
}

const defaultPageSize = 500;

/** The pages of a collection, one at a time: nothing but the current page is held. */
export async function* listPages<T extends KubeObject = KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  options: ListPagesOptions = {},
): AsyncGenerator<KubeList<T>, void, void> {
  const { pageSize = defaultPageSize, whenExpired = "fail", ...list } = options;
  const pageAt = (continueToken: string | undefined): Promise<KubeList<T>> =>
    client.list<T>(resource, {
      ...list,
      limit: pageSize,
      ...(continueToken === undefined ? {} : { continueToken }),
    });

  let token: string | undefined;
  do {
    const page = await pageAt(token).catch((error: unknown) => {
      const newer = whenExpired === "goOn" ? newerToken(error) : undefined;
      if (newer === undefined) throw error;
      return pageAt(newer);
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
  options: Omit<ListPagesOptions, "whenExpired"> = {},
): Promise<KubeList<T>> {
  const { pageSize: _pageSize, ...unpaged } = options;
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
      if (!isExpired(error)) throw error;
      expired = error;
    }
  }
  throw expired;
}

async function collect<T extends KubeObject>(
  client: KubeClient,
  resource: ResourceRef,
  options: ListPagesOptions,
): Promise<KubeList<T>> {
  let first: KubeList<T> | undefined;
  const items: T[] = [];
  for await (const page of listPages<T>(client, resource, { ...options, whenExpired: "fail" })) {
    first ??= page;
    for (const item of page.items) items.push(item);
  }
  const { resourceVersion } = first?.metadata ?? {};
  return {
    apiVersion: first?.apiVersion ?? "v1",
    kind: first?.kind ?? "List",
    metadata: resourceVersion === undefined ? {} : { resourceVersion },
    items,
  };
}

function isExpired(error: unknown): error is BowlineError {
  return error instanceof BowlineError && error.code === "Expired";
}

function newerToken(error: unknown): string | undefined {
  if (!isExpired(error)) return undefined;
  const token = error.details?.["continueToken"];
  return typeof token === "string" ? token : undefined;
}
