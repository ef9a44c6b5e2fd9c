import { useEffect, useMemo, useState, useSyncExternalStore } from "react";

import { clusterLink } from "../../kube/cluster-socket.ts";
import { LogFeed, type LogPart, type LogSnapshot, type LogTarget } from "../../kube/log-feed.ts";
import { useLiveLists } from "../../live/live-context.tsx";
import { pageClock } from "../../live/page-clock.ts";
import { trustedWorker } from "../../live/trusted-worker.ts";
import type { LogQuery, MatchRange } from "../../logs/log-query.ts";
import { LogSearch, type SearchAnswer, type SearchState, type SearchWorker } from "../../logs/log-search.ts";
import searchWorker from "../../logs/search-worker.ts?worker&url";

const hiddenFlushMs = 1_000;

/** Before the next picture; where nobody looks there is none, and it is done now and then. */
function schedule(callback: () => void): void {
  let isDone = false;
  const run = (): void => {
    if (isDone) return;
    isDone = true;
    callback();
  };
  requestAnimationFrame(run);
  setTimeout(run, hiddenFlushMs);
}

/** Follows logs for as long as the component is there. */
export function useLogFeed(
  targets: readonly LogTarget[],
  part: LogPart,
): { readonly feed: LogFeed; readonly snapshot: LogSnapshot } {
  const { streams } = useLiveLists();
  const key = JSON.stringify({ targets, part });
  const feed = useMemo(() => {
    const asked: { targets: readonly LogTarget[]; part: LogPart } = JSON.parse(key);
    const { random } = Math;
    return new LogFeed({ ...asked, streams, link: clusterLink, clock: pageClock, random, schedule });
  }, [key, streams]);
  return { feed, snapshot: useSyncExternalStore(feed.subscribe, () => feed.snapshot) };
}

/** What a search has found by now; another object whenever there is more. */
export interface LogMatches {
  readonly state: SearchState;
  readonly ranges: ReadonlyMap<number, readonly MatchRange[]>;
}

const noMatches: LogMatches = { state: "idle", ranges: new Map() };

/** Searches the lines of a feed, those that are there and those that come, unless the query is empty. */
export function useLogSearch(feed: LogFeed, query: LogQuery): LogMatches {
  const { text, isRegex, isCaseSensitive } = query;
  const [matches, setMatches] = useState(noMatches);
  useEffect(() => {
    if (text === "") return undefined;
    const search = new LogSearch({
      openWorker: openSearchWorker,
      after: (ms, callback) => pageClock.after(ms, callback),
      onChange: () => setMatches({ state: search.state, ranges: search.matches }),
    });
    search.start({ text, isRegex, isCaseSensitive }, feed.snapshot.lines);
    const stop = feed.onLines({
      added: (lines) => search.add(lines),
      dropped: (lines) => search.forget(lines.map(({ id }) => id)),
    });
    return () => {
      stop();
      search.stop();
      setMatches(noMatches);
    };
  }, [feed, text, isRegex, isCaseSensitive]);
  return matches;
}

function openSearchWorker(onAnswer: (answer: SearchAnswer) => void): SearchWorker {
  const worker = new Worker(trustedWorker(searchWorker), { type: "module", name: "bowline-search" });
  worker.addEventListener("message", ({ data }: MessageEvent) => onAnswer(data));
  return {
    post: (request) => worker.postMessage(request),
    terminate: () => worker.terminate(),
  };
}
