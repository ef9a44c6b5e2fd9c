import type { ReactNode } from "react";

import type { LiveSnapshot } from "../../live/watched-objects.ts";
import { Stale } from "../../ui/data-states.tsx";
import { Failed, Offline } from "../../ui/states.tsx";

export interface ListStateProps {
  readonly list: Omit<LiveSnapshot<unknown>, "items">;
  readonly onRetry?: () => void;
}

/** What is in the way of a list: refused, away, or of a while ago; nothing while it is live. */
export function ListState({ list, onRetry }: ListStateProps): ReactNode {
  const { phase, failure, trouble, heardAtMs } = list;
  if (failure !== undefined) return <Failed failure={failure} onRetry={onRetry} />;
  if (trouble?.code === "AgentOffline") return <Offline failure={trouble} />;
  if (trouble !== undefined) return <Failed failure={trouble} />;
  if (phase !== "reconnecting" && phase !== "late") return null;
  return (
    <div className="px-4 py-1">
      <Stale heardAt={new Date(heardAtMs ?? 0).toISOString()} isReconnecting={phase === "reconnecting"} />
    </div>
  );
}
