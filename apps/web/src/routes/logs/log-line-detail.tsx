import type { ReactNode } from "react";

import type { LogSource } from "../../kube/log-feed.ts";
import { fieldsOf, levelOf } from "../../logs/log-level.ts";
import type { LogLine } from "../../logs/log-line.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { isoTime } from "./log-row.tsx";

export interface LogLineDetailProps {
  readonly line: LogLine;
  readonly source: LogSource | undefined;
  readonly onClose: () => void;
}

/** One line with everything about it; the fields of one that is JSON, each on a line of its own. */
export function LogLineDetail({ line, source, onClose }: LogLineDetailProps): ReactNode {
  const json = fieldsOf(line.plain);
  const level = levelOf(line.plain);
  const facts: readonly (readonly [string, string])[] = [
    ["Time", isoTime(line)],
    ...(source === undefined
      ? []
      : ([
          ["Cluster", source.cluster],
          ["Pod", `${source.namespace}/${source.pod}`],
          ["Container", source.container],
        ] as const)),
    ...(level === undefined ? [] : ([["Level", level]] as const)),
  ];
  return (
    <Dialog title="Line" onClose={onClose}>
      <Facts facts={facts} />
      <p className="my-3 font-mono whitespace-pre-wrap wrap-anywhere">
        {cleanText(json?.message ?? line.plain, 20_000)}
      </p>
      {json !== undefined && <Facts facts={json.fields} />}
      <button
        type="button"
        className="mt-3 rounded-sm border border-control px-3 py-1"
        onClick={() => void navigator.clipboard.writeText(line.plain)}
      >
        Copy the line
      </button>
    </Dialog>
  );
}

function Facts({ facts }: { facts: readonly (readonly [string, string])[] }): ReactNode {
  return (
    <dl className="grid grid-cols-[minmax(6rem,max-content)_1fr] gap-x-4 gap-y-0.5">
      {facts.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{cleanText(name, 100)}</dt>
          <dd className="font-mono wrap-anywhere">{cleanText(value, 4_000)}</dd>
        </div>
      ))}
    </dl>
  );
}
