import { Cluster } from "@bowline/api";
import type { ReactNode } from "react";

import { useConnection, useObjects } from "../../live/live-context.tsx";
import { pageClock } from "../../live/page-clock.ts";
import { useNowMs } from "../../live/now.ts";

/** Whether what is on the page is of now. */
export function ConnectionPill(): ReactNode {
  const state = useConnection();
  // Also where nothing else is followed there is a connection, which tells at once when the session is over.
  useObjects(Cluster);
  useNowMs();
  const [colour, text] =
    state.phase === "open"
      ? ["bg-healthy", "Live"]
      : state.phase === "waiting"
        ? ["bg-missing", waitingText(state.retryAtMs)]
        : ["bg-progressing", state.phase === "signedOut" ? "Signed out" : "Connecting"];
  return (
    <span role="status" className="inline-flex items-center gap-1.5 text-xs text-muted">
      <span className={`size-2 rounded-full ${colour}`} aria-hidden="true" />
      {text}
    </span>
  );
}

function waitingText(retryAtMs: number): string {
  const seconds = Math.max(0, Math.ceil((retryAtMs - pageClock.monotonicMs()) / 1_000));
  return seconds === 0 ? "Reconnecting" : `Reconnecting in ${seconds} s`;
}
