import { useMemo, useRef, useState, type ReactNode } from "react";

import type { LogSnapshot, LogSource, LogTarget } from "../../kube/log-feed.ts";
import type { Failure } from "../../live/failure.ts";
import type { LogLine } from "../../logs/log-line.ts";
import { queryProblem } from "../../logs/log-query.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Empty, Failed, FilteredEmpty, Loading } from "../../ui/states.tsx";
import { LogDownload } from "./log-download.tsx";
import { LogLineDetail } from "./log-line-detail.tsx";
import { LogLines, type LogLinesHandle, type ShownRows } from "./log-lines.tsx";
import { logPart, type LogSettings } from "./log-settings.ts";
import { LogSources, sourceNames } from "./log-sources.tsx";
import { LogToolbar } from "./log-toolbar.tsx";
import { useLogFeed, useLogSearch, type LogMatches } from "./use-log-feed.ts";

export interface LogPanelProps {
  /** Whose logs; several are merged by time. */
  readonly targets: readonly LogTarget[];
  readonly settings: LogSettings;
  readonly onSettings: (change: Partial<LogSettings>) => void;
}

/** Logs to read: followed, searched, merged. Takes the height that it is given. */
export function LogPanel({ targets, settings, onSettings }: LogPanelProps): ReactNode {
  const { q, regex, exact, only, container } = settings;
  const asked = useMemo(
    () => (container === "" ? targets : targets.map((target) => ({ ...target, container }))),
    [targets, container],
  );
  const part = logPart(settings);
  const { feed, snapshot } = useLogFeed(asked, part);
  const query = { text: q, isRegex: regex, isCaseSensitive: exact };
  const problem = q === "" ? undefined : queryProblem(query);
  const matches = useLogSearch(feed, problem === undefined ? query : { ...query, text: "" });
  const shown = useRows(snapshot, matches, q !== "" && only);
  const { rows, positions } = shown;
  const lines = useRef<LogLinesHandle>(null);
  const [opened, setOpened] = useState<LogLine>();
  const [isSaving, setSaving] = useState(false);
  const [matchAt, setMatchAt] = useState<number>();
  const containers = useKnownContainers(snapshot, container);
  const step = (by: 1 | -1): void => {
    const at = lines.current?.current ?? rows.length;
    const next = by === 1 ? positions.find((place) => place > at) : positions.findLast((place) => place < at);
    const target = next ?? (by === 1 ? positions[0] : positions.at(-1));
    if (target === undefined) return;
    lines.current?.show(target);
    setMatchAt(positions.indexOf(target));
  };
  const names = useMemo(() => sourceNames(snapshot.sources), [snapshot.sources]);
  return (
    <section aria-label="Logs" className="flex min-h-0 flex-1 flex-col">
      <LogToolbar
        settings={settings}
        onSettings={(change) => {
          if (change.q !== undefined) setMatchAt(undefined);
          onSettings(change);
        }}
        found={problem === undefined ? foundText(matches, positions.length, matchAt) : "No valid expression"}
        onStep={step}
        containers={containers}
        onClear={() => feed.clear()}
        onDownload={snapshot.sources.length === 0 ? undefined : () => setSaving(true)}
      />
      <LogSources snapshot={snapshot} names={names} onRetry={() => feed.retry()} />
      <Nothing snapshot={snapshot} shown={rows.length} onAll={() => onSettings({ only: false })} />
      {rows.length > 0 && (
        <LogLines
          key={JSON.stringify(part)}
          shown={shown}
          lost={only && q !== "" ? 0 : snapshot.lost}
          sourceNames={names}
          ranges={matches.ranges}
          wrap={settings.wrap}
          times={settings.times}
          onOpen={setOpened}
          onStep={step}
          handle={lines}
        />
      )}
      {opened !== undefined && (
        <LogLineDetail
          line={opened}
          source={snapshot.sources[opened.source]}
          onClose={() => setOpened(undefined)}
        />
      )}
      {isSaving && (
        <LogDownload sources={snapshot.sources} names={names} part={part} onClose={() => setSaving(false)} />
      )}
    </section>
  );
}

function useRows(snapshot: LogSnapshot, matches: LogMatches, isFiltered: boolean): ShownRows {
  return useMemo(() => {
    const { lines } = snapshot;
    const { ranges } = matches;
    const rows = isFiltered ? lines.filter(({ id }) => ranges.has(id)) : lines;
    if (isFiltered) return { rows, positions: rows.map((_, index) => index) };
    const positions: number[] = [];
    if (ranges.size > 0) {
      for (const [index, { id }] of rows.entries()) if (ranges.has(id)) positions.push(index);
    }
    return { rows, positions };
  }, [snapshot, matches, isFiltered]);
}

/** Containers that were seen stay to be chosen, also while only one of them is shown. */
function useKnownContainers({ sources }: LogSnapshot, chosen: string): readonly string[] {
  const [known, setKnown] = useState<readonly string[]>([]);
  const all = new Set([...known, ...sources.map(({ container }) => container)]);
  if (chosen !== "") all.add(chosen);
  if (all.size > known.length) setKnown([...all].toSorted());
  return known;
}

function foundText({ state }: LogMatches, count: number, at: number | undefined): string {
  if (state === "tooSlow") return "Too slow, given up";
  if (state === "searching" && count === 0) return "Searching…";
  const all = count.toLocaleString("en");
  if (at !== undefined && at < count) return `${(at + 1).toLocaleString("en")} of ${all}`;
  return `${all} ${count === 1 ? "line" : "lines"}`;
}

/** Why nothing comes from a source: it is refused, or tried again in a while. */
function failureOf({ state }: LogSource): Failure | undefined {
  return state.phase === "failed" || state.phase === "waiting" ? state.failure : undefined;
}

/** Why there is nothing to read, or not yet. */
function Nothing({
  snapshot,
  shown,
  onAll,
}: {
  snapshot: LogSnapshot;
  shown: number;
  onAll: () => void;
}): ReactNode {
  const { sources, failure, isListed, lines } = snapshot;
  if (shown > 0) return null;
  if (lines.length > 0) return <FilteredEmpty hidden={lines.length} onClear={onAll} />;
  const problem = failure ?? sources.map(failureOf).find((each) => each !== undefined);
  if (problem !== undefined) return <Failed failure={problem} />;
  if (!isListed || sources.some(({ state }) => state.phase === "connecting"))
    return <Loading what="the logs" />;
  const waiting = sources.find(({ state }) => state.phase === "notStarted")?.state;
  if (sources.length === 0) return <Empty>No pod matches yet; one that comes will be followed.</Empty>;
  if (waiting?.phase !== "notStarted") return <Empty>Nothing has been written yet.</Empty>;
  return <Empty>The container has not started: {cleanText(waiting.reason, 500)}</Empty>;
}
