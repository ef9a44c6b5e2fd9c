import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo, type ReactNode } from "react";

import { readGraphSearch, type GraphSearch } from "../../graph/graph-search.ts";
import { parseNode } from "../../graph/node-ref.ts";
import { useGraphAnswer } from "../../live/graph-question.ts";
import { Button } from "../../ui/button.tsx";
import { AsOf } from "../../ui/data-states.tsx";
import { useKeys } from "../../ui/keys.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty } from "../../ui/states.tsx";
import { Explored } from "./explored.tsx";
import { EdgeToggles, GraphControls, type SearchChange } from "./graph-controls.tsx";
import { TimeSlider, useTimeAxis } from "./time-slider.tsx";

/** What is around an object, now and at any time that is kept. It begins with an object, never with everything. */
export function Graph(): ReactNode {
  const search = useSearch({ from: "/_in/graph" });
  const navigate = useNavigate();
  const { at, focus } = search;
  const change = useCallback(
    (some: SearchChange) => {
      const isPlace = "focus" in some;
      const next = (before: GraphSearch): GraphSearch => readGraphSearch({ ...before, ...some });
      void navigate({ to: "/graph", search: next, replace: !isPlace });
    },
    [navigate],
  );
  const keys = useMemo(
    () => [
      {
        keys: "v",
        does: "Show the picture as a table, and back",
        run: () => change({ view: search.view === "table" ? undefined : "table" }),
      },
    ],
    [change, search.view],
  );
  useKeys(keys);
  const content = (
    <>
      <GraphControls search={search} onChange={change} />
      {focus === undefined ? (
        <Beginning />
      ) : (
        <>
          <EdgeToggles search={search} onChange={change} />
          <Explored search={search} focus={focus} onChange={change} />
          <TimePart search={search} onChange={change} />
        </>
      )}
    </>
  );
  return (
    <>
      <PageHead title={focus === undefined ? "Graph" : `Graph of ${focus}`}>
        {focus !== undefined && (
          <Button
            aria-pressed={search.view === "table"}
            onClick={() => change({ view: search.view === "table" ? undefined : "table" })}
          >
            {search.view === "table" ? "Show the picture (v)" : "Show as a table (v)"}
          </Button>
        )}
      </PageHead>
      {at === undefined ? (
        content
      ) : (
        <AsOf atMs={Date.parse(at)} onNow={() => change({ at: undefined })}>
          {content}
        </AsOf>
      )}
    </>
  );
}

/** The time slider, of the cluster that is looked at. */
function TimePart({
  search,
  onChange,
}: {
  search: GraphSearch;
  onChange: (some: SearchChange) => void;
}): ReactNode {
  const { cluster, at, since, focus = "" } = search;
  const namespace = parseNode(focus)?.namespace;
  const { data } = useGraphAnswer("timeline", {
    cluster,
    namespace: namespace === "" ? undefined : namespace,
    steps: 120,
  });
  const axis = useTimeAxis(data?.data);
  const onAt = useCallback(
    (atMs: number | undefined) => onChange({ at: atMs === undefined ? undefined : timeText(atMs) }),
    [onChange],
  );
  const onSince = useCallback(
    (sinceMs: number | undefined) =>
      onChange({ since: sinceMs === undefined ? undefined : timeText(sinceMs) }),
    [onChange],
  );
  if (axis === undefined) return null;
  return (
    <TimeSlider
      axis={axis}
      atMs={at === undefined ? undefined : Date.parse(at)}
      sinceMs={since === undefined ? undefined : Date.parse(since)}
      onAt={onAt}
      onSince={onSince}
    />
  );
}

function timeText(timeMs: number): string {
  return new Date(timeMs).toISOString();
}

function Beginning(): ReactNode {
  return (
    <Empty>
      <p>
        Begin with an object: type a part of its name above, or press Ctrl K and find it there. From a
        question one gets here too:
      </p>
      <ul className="mt-2 list-disc pl-5">
        <li>
          <Link to="/ask" search={{ q: "exposure" }}>
            Which Secrets can be read from outside
          </Link>
        </li>
        <li>
          <Link to="/ask" search={{ q: "audit" }}>
            What an attacker would like
          </Link>
        </li>
        <li>
          <Link to="/ask" search={{ q: "orphans" }}>
            What nobody uses, and what is missing
          </Link>
        </li>
      </ul>
    </Empty>
  );
}
