import type { AuditRecord, Cluster, JoinToken } from "@bowline/api";
import { useQuery, useQueryClient, type UseQueryResult } from "@tanstack/react-query";

import { request } from "../../live/request.ts";
import type { JoinInput } from "./join-input.ts";

/** Makes the Cluster that is joined. */
export async function createCluster({ name, labels, region }: JoinInput): Promise<Cluster> {
  return request<Cluster>("/api/v1/clusters", {
    method: "POST",
    body: { metadata: { name, labels }, spec: region === "" ? {} : { region } },
  });
}

type TokenInput = Pick<JoinInput, "name" | "rights" | "image" | "expiresInSeconds">;

/** Makes what the agent joins with, and the file that runs it. */
async function createJoinToken({ name, rights, image, expiresInSeconds }: TokenInput): Promise<JoinToken> {
  return request<JoinToken>(`/api/v1/clusters/${encodeURIComponent(name)}/join-tokens`, {
    method: "POST",
    body: { expiresInSeconds, manifest: image === "" ? { rights } : { rights, image } },
  });
}

export interface KeptToken extends JoinToken {
  readonly input: TokenInput;
  readonly madeAtMs: number;
}

/**
 * The join token that was made for a cluster in this tab. It is in the memory of the page and nowhere else, so that the
 * dialog can be closed and opened again; it goes with the session.
 */
export function useKeptToken(name: string): {
  readonly token: KeptToken | undefined;
  readonly make: (input: TokenInput) => Promise<void>;
} {
  const queries = useQueryClient();
  const queryKey = ["join-token", name];
  const { data: token } = useQuery<KeptToken>({
    queryKey,
    queryFn: () => Promise.reject(new Error("A token is made, not read.")),
    enabled: false,
    gcTime: Infinity,
  });
  const make = async (input: TokenInput): Promise<void> => {
    const made = await createJoinToken(input);
    queries.setQueryData<KeptToken>(["join-token", input.name], { ...made, input, madeAtMs: Date.now() });
  };
  return { token, make };
}

const refusedEveryMs = 5_000;

/**
 * Agents that were refused before the server knew of which cluster they are: for admins, who may read it. While there is
 * a token that somebody may be trying.
 */
export function useStrangers(
  sinceMs: number,
  isOn: boolean,
): UseQueryResult<{ readonly items: readonly AuditRecord[] }> {
  const since = encodeURIComponent(new Date(sinceMs).toISOString());
  return useQuery({
    queryKey: ["join-strangers", sinceMs],
    queryFn: ({ signal }) =>
      request<{ items: readonly AuditRecord[] }>(`/api/v1/audit?kind=Cluster&since=${since}&limit=50`, {
        signal,
      }),
    enabled: isOn,
    refetchInterval: refusedEveryMs,
    select: ({ items }) => ({
      items: items.filter(
        ({ verb, outcome, name }) =>
          (verb === "join" || verb === "connect") && outcome !== "allowed" && name === undefined,
      ),
    }),
  });
}
