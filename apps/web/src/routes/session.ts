import type { SignInCode, SignInCodeRequest, Whoami } from "@bowline/api";
import { queryOptions, useQuery, type UseQueryResult } from "@tanstack/react-query";

import { request, RequestFailed } from "../live/request.ts";
import type { Streams } from "../live/streams.ts";

/** The answer of `GET /api/v1/console`: what there is to know before one has signed in. */
export interface ConsoleInfo {
  readonly version: string;
  readonly oidc?: { readonly name: string };
}

export const signInPage = "/ui/login";

export const whoamiQuery = queryOptions({
  queryKey: ["whoami"],
  queryFn: ({ signal }) => request<Whoami>("/api/v1/whoami", { signal }),
  staleTime: 60_000,
  retry: false,
});

export function useWhoami(): UseQueryResult<Whoami> {
  return useQuery(whoamiQuery);
}

export function useConsoleInfo(): UseQueryResult<ConsoleInfo> {
  return useQuery({
    queryKey: ["console"],
    queryFn: ({ signal }) => request<ConsoleInfo>("/api/v1/console", { signal }),
    staleTime: Infinity,
  });
}

/** By a token, which is forgotten at once: the cookie that the answer sets is all that stays. */
export async function signInByToken(token: string): Promise<void> {
  await request("/api/v1/sessions", {
    method: "POST",
    body: {},
    headers: { authorization: `Bearer ${token}` },
  });
}

/** By a code that can be used once, as `bowline ui` makes them. */
export async function signInByCode(code: string): Promise<void> {
  await request("/api/v1/sessions", { method: "POST", body: { code } });
}

/** A one-time code for a command line that one agrees to. */
export async function approveCommand(
  command: NonNullable<SignInCodeRequest["command"]>,
): Promise<SignInCode> {
  return request<SignInCode>("/api/v1/sessions/codes", { method: "POST", body: { command } });
}

/** Ends the session, and with it everything that this browser knows, in all its tabs. */
export async function signOut(streams: Pick<Streams, "belongTo">): Promise<void> {
  try {
    const { session } = await request<Whoami>("/api/v1/whoami");
    if (session !== undefined) await request(`/api/v1/sessions/${session}`, { method: "DELETE" });
  } catch (error) {
    // Who is signed out already is where they want to be.
    if (!(error instanceof RequestFailed) || error.failure.status !== 401) throw error;
  }
  streams.belongTo("");
  location.assign(signInPage);
}
