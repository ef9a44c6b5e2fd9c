import type { ReactNode } from "react";

import type { LogSnapshot, LogSource } from "../../kube/log-feed.ts";
import { cleanText } from "../../text/clean-text.ts";
import { sourceColour, sourceLetter } from "./log-row.tsx";

/** As much of each source's name as tells it from the others. */
export function sourceNames(sources: readonly LogSource[]): readonly string[] {
  const hasSeveral = (of: (source: LogSource) => string): boolean => new Set(sources.map(of)).size > 1;
  const clusters = hasSeveral(({ cluster }) => cluster);
  const containers = hasSeveral(({ container }) => container);
  return sources.map(({ cluster, pod, container }) =>
    cleanText([clusters ? cluster : "", pod, containers ? container : ""].filter(Boolean).join(" / "), 200),
  );
}

export interface LogSourcesProps {
  readonly snapshot: LogSnapshot;
  readonly names: readonly string[];
  readonly onRetry: () => void;
}

/** Who writes, how each fares, and what is not here. */
export function LogSources({ snapshot, names, onRetry }: LogSourcesProps): ReactNode {
  const { sources, lines, lost, leftOut } = snapshot;
  const hasFailed = sources.some(({ state }) => state.phase === "failed");
  return (
    <div className="log-lines flex flex-wrap items-end gap-x-4 gap-y-0.5 border-b border-border px-2 py-1 text-xs text-muted">
      <ul aria-label="Sources" className="flex max-h-16 min-w-0 flex-1 flex-wrap gap-x-4 overflow-auto">
        {sources.map((source, index) => (
          <li key={`${source.cluster} ${source.pod} ${source.container}`} className="flex gap-1">
            {sources.length > 1 && (
              <span className="font-mono font-semibold" style={{ color: sourceColour(index) }}>
                {sourceLetter(index)}
              </span>
            )}
            <span className={source.isGone ? "line-through" : ""}>{names[index]}</span>
            <span title={stateTitle(source)}>{stateText(source)}</span>
          </li>
        ))}
      </ul>
      <span className="ml-auto flex gap-3">
        {leftOut > 0 && <span>{leftOut} more are not followed</span>}
        {lost > 0 && <span>{lost.toLocaleString("en")} older lines dropped</span>}
        <span>{lines.length.toLocaleString("en")} lines</span>
        {hasFailed && (
          <button type="button" className="text-accent" onClick={onRetry}>
            Try again
          </button>
        )}
      </span>
    </div>
  );
}

function stateText({ state }: LogSource): string {
  if (state.phase === "following") return "";
  if (state.phase === "complete") return "(ended)";
  if (state.phase === "failed") return "(refused)";
  if (state.phase === "notStarted") return "(has not started)";
  if (state.phase !== "waiting") return "(connecting)";
  return state.failure?.code === "AgentOffline" ? "(the agent is away)" : "(waiting)";
}

function stateTitle({ state }: LogSource): string | undefined {
  if (state.phase === "notStarted") return cleanText(state.reason, 500);
  if (state.phase !== "waiting" && state.phase !== "failed") return undefined;
  return state.failure === undefined ? "It is tried again by itself." : cleanText(state.failure.message, 500);
}
