import type { Validated } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { EventPage, RecordPage } from "@bowline/store";
import type { FastifyRequest } from "fastify";

import { readQuery } from "../http/query.ts";

export interface RecordQuery<Filters> {
  readonly filters: Filters;
  /** The parameters that are no filters. */
  readonly others: Readonly<Partial<Record<string, string>>>;
}

export interface RecordQueryOptions<Filters> {
  /** Every filter there is. */
  readonly filterNames: readonly string[];
  readonly validate: (filters: unknown) => Validated<Filters>;
  /** The other parameters of the address. */
  readonly otherNames: readonly string[];
}

/** Reads the parameters of an address; `InvalidArgument` for those it does not have and for values that cannot be. */
export function readRecordQuery<Filters>(
  request: Pick<FastifyRequest, "query">,
  { filterNames, validate, otherNames }: RecordQueryOptions<Filters>,
): RecordQuery<Filters> {
  const query = readQuery(request, [...filterNames, ...otherNames]);
  const filters = validate(picked(query, filterNames));
  if (filters.ok) return { filters: filters.value, others: picked(query, otherNames) };
  const [problem] = filters.problems;
  throw new BowlineError("InvalidArgument", `The parameter ${problem?.path} ${problem?.message}.`);
}

function picked(
  query: Readonly<Partial<Record<string, string>>>,
  names: readonly string[],
): Partial<Record<string, string>> {
  return Object.fromEntries(Object.entries(query).filter(([name]) => names.includes(name)));
}

/** A page as the API answers it. */
export interface RecordListBody<Item> {
  readonly metadata: { readonly resourceVersion?: string; readonly cursor?: string; readonly total: number };
  readonly items: readonly Item[];
}

export function recordListBody<Item>(
  page: RecordPage<Item> & Partial<Pick<EventPage, "resourceVersion">>,
): RecordListBody<Item> {
  const { items, ...metadata } = page;
  return { metadata, items };
}
