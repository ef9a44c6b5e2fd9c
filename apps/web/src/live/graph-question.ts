import type { GraphAnswer, GraphData, GraphQuestionName } from "@bowline/api";
import { queryOptions, useQuery, type UseQueryOptions, type UseQueryResult } from "@tanstack/react-query";

import { useAskAgain, useReports } from "./report-changes.ts";
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

/** How often what is on the page is asked again where nobody says when it has changed. */
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
  return queryOptions<Answer<Name>>({
    queryKey: ["graph", name, parameters],
    queryFn: ({ signal }) => askGraph(name, parameters, signal),
    enabled: isEnabled,
    staleTime: isPast(parameters) ? Infinity : againMs / 2,
    placeholderData: (before: Answer<Name> | undefined) => before,
  });
}

/** The answer as it is now: asked again when the server says that the graph of one of its clusters has changed. */
export function useGraphAnswer<Name extends GraphQuestionName>(
  name: Name,
  parameters: QuestionParameters,
  { isEnabled = true }: { readonly isEnabled?: boolean } = {},
): UseQueryResult<Answer<Name>> {
  const { cluster } = parameters;
  const { version, isDeaf } = useReports("graph", cluster === undefined ? undefined : [String(cluster)]);
  const isAsked = isEnabled && !isPast(parameters);
  const answer = useQuery({
    ...graphQuery(name, parameters, { isEnabled }),
    refetchInterval: isDeaf && isAsked ? againMs : false,
  });
  const { refetch } = answer;
  useAskAgain(isAsked ? version : "", () => (isAsked ? refetch() : undefined));
  return answer;
}

function isPast(parameters: QuestionParameters): boolean {
  return parameters["at"] !== undefined || parameters["to"] !== undefined;
}
