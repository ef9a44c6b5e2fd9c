import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useLayoutEffect, useRef, useState, type ReactNode } from "react";

import { useConnection, useLiveLists } from "../../live/live-context.tsx";
import { RequestFailed } from "../../live/request.ts";
import { SessionOverDialog } from "../../ui/data-states.tsx";
import { SignInForm } from "../login/sign-in-form.tsx";
import { signInPage, useWhoami, whoamiQuery } from "../session.ts";

/**
 * Whether the session is over. A socket that is refused does not say why in a browser: after the second time, the server
 * is asked.
 */
export function useSessionOver(): boolean {
  const state = useConnection();
  const isDoubtful = state.phase === "waiting" && state.attempt >= 2;
  const { error } = useQuery({
    ...whoamiQuery,
    enabled: isDoubtful,
    staleTime: 0,
    refetchInterval: isDoubtful ? 5_000 : false,
  });
  const isRefused = error instanceof RequestFailed && error.failure.status === 401;
  return state.phase === "signedOut" || (isDoubtful && isRefused);
}

/** A tab whose browser has another session by now, or none, shows nothing of the one before. */
export function useOnlyOwnSession(): void {
  const { session } = useConnection();
  const { streams } = useLiveLists();
  const { data: me } = useWhoami();
  const wasMine = useRef(false);
  const own = me?.session;
  // Before anything in the page asks for a list, which effects of any other sort would come too late for.
  useLayoutEffect(() => {
    if (own !== undefined) streams.belongTo(own);
  }, [streams, own]);
  useEffect(() => {
    if (session === undefined || own === undefined) return;
    if (session === own) wasMine.current = true;
    else if (wasMine.current && session === "") location.assign(signInPage);
    else if (wasMine.current) location.reload();
  }, [session, own]);
}

/** Over the page that was there, so that nothing that was typed is lost. */
export function SessionOver(): ReactNode {
  const { streams } = useLiveLists();
  const queries = useQueryClient();
  const { data: before } = useWhoami();
  const [isHidden, setHidden] = useState(false);
  const goOn = async (): Promise<void> => {
    const me = await queries.fetchQuery({ ...whoamiQuery, staleTime: 0 });
    // Whoever it is now has to see nothing that somebody else saw.
    if (me.user !== before?.user || me.role !== before.role) location.reload();
    streams.reconnect();
  };
  if (isHidden) return null;
  return (
    <SessionOverDialog onClose={() => setHidden(true)}>
      <SignInForm onSignedIn={() => void goOn()} />
    </SessionOverDialog>
  );
}
