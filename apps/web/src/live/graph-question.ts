import type { GraphAnswer, GraphData, GraphQuestionName } from "@bowline/api";
import { queryOptions, type UseQueryOptions } from "@tanstack/react-query";

import { request } from "./request.ts";

/** Parameters as they are in an address; those that are undefined are none. */
export type QuestionParameters = Readonly<Record<string, string | number | undefined>>;

export type Answer<Name extends GraphQuestionName> = GraphAnswer<GraphData<Name>>;

/** Asks about the objects of clusters. */
function askGraph<Name extends GraphQuestionName>(
  name: Name,
  parameters: QuestionParameters,
  signal?: AbortSignal,
): Promise<Answer<Name>> {
  const given = Object.entries(parameters).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)]],
  );
  const query = new URLSearchParams(given);
  return request(`/api/v1/graph/${name}?${query}`, signal === undefined ? {} : { signal });
}

/** How often what is on the page is asked again while it is about now. */
const againMs = 10_000;

/**
 * The same for `useQuery`. What is shown stays until the next answer is there; an answer about an earlier time does not
 * change any more.
 */
export function graphQuery<Name extends GraphQuestionName>(
  name: Name,
  parameters: QuestionParameters,
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
): UseQueryOptions<Answer<Name>> & { queryKey: readonly unknown[] } {
  const isPast = parameters["at"] !== undefined || parameters["to"] !== undefined;
  return queryOptions<Answer<Name>>({
    queryKey: ["graph", name, parameters],
    queryFn: ({ signal }) => askGraph(name, parameters, signal),
    enabled: isEnabled,
    staleTime: isPast ? Infinity : againMs / 2,
    refetchInterval: isPast ? false : againMs,
    placeholderData: (before: Answer<Name> | undefined) => before,
  });
}
