import type { ReactNode } from "react";

import type { LiveSnapshot } from "../live/watched-objects.ts";
import { Stale } from "./data-states.tsx";
import { Failed, Loading, Offline } from "./states.tsx";

export interface ListStateProps {
  readonly list: Omit<LiveSnapshot<unknown>, "items">;
  /** Completes "Waiting for …" while nothing has come; missing where the screen says so itself. */
  readonly what?: string;
  /** One of several lists of a screen: how old it is, another part of the screen tells. */
  readonly isPart?: boolean;
  readonly onRetry?: () => void;
  readonly admins?: readonly string[] | undefined;
}

/** What is in the way of a list: not here yet, refused, away, or of a while ago; nothing while it is live. */
export function ListState({ list, what, isPart = false, onRetry, admins }: ListStateProps): ReactNode {
  const { phase, failure, trouble, heardAtMs } = list;
  if (failure !== undefined) return <Failed failure={failure} onRetry={onRetry} admins={admins} />;
  if (trouble?.code === "AgentOffline") return <Offline failure={trouble} />;
  if (trouble !== undefined) return <Failed failure={trouble} />;
  if (phase === "connecting" && what !== undefined) return <Loading what={what} />;
  if (isPart || (phase !== "reconnecting" && phase !== "late")) return null;
  return (
    <div className="px-4 py-1">
      <Stale heardAt={new Date(heardAtMs ?? 0).toISOString()} isReconnecting={phase === "reconnecting"} />
    </div>
  );
}

/** Whether there is nothing to show but what is in the way. */
export function isInTheWay({ phase, failure }: Pick<ListStateProps["list"], "phase" | "failure">): boolean {
  return failure !== undefined || phase === "connecting";
}
