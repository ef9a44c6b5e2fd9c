import { auditRow, type AuditRecord } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { byteSize } from "../../text/byte-size.ts";
import { cleanText } from "../../text/clean-text.ts";
import { formatTime } from "../../text/time.ts";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { sameUserAround } from "./audit-search.ts";
import { timesOf, type FoldedRecords } from "./fold-records.ts";

/** Everything that is known of what somebody did. */
export function AuditDetail({ fold, onClose }: { fold: FoldedRecords; onClose: () => void }): ReactNode {
  const { latest, records } = fold;
  const row = auditRow(latest);
  const around = sameUserAround(latest);
  const times = timesOf(fold);
  return (
    <Dialog
      title={`${row.VERB} ${cleanText(row.REQUEST === "" ? row.OBJECT : row.REQUEST, 120)}`}
      onClose={onClose}
    >
      <dl className="grid grid-cols-[9rem_minmax(0,1fr)] gap-y-1">
        {factsOf(latest).map(([name, value]) => (
          <div key={name} className="contents">
            <dt className="text-muted">{name}</dt>
            <dd className="break-words">{cleanText(value, 1_100)}</dd>
          </div>
        ))}
        <dt className="text-muted">Request id</dt>
        <dd className="flex items-center gap-2 font-mono">
          {cleanText(latest.requestId, 64)} <CopyButton text={latest.requestId} what="the request id" />
        </dd>
      </dl>
      {times > 1 && <Repeats records={records} times={times} />}
      <p className="mt-4 flex gap-4">
        <Link to="/audit" search={{ requestId: latest.requestId }}>
          Same request id
        </Link>
        {around !== undefined && (
          <Link to="/audit" search={around}>
            Same user, 5 minutes before and after
          </Link>
        )}
      </p>
    </Dialog>
  );
}

function Repeats({ records, times }: { records: readonly AuditRecord[]; times: number }): ReactNode {
  const oldest = records.at(-1);
  return (
    <details className="mt-3">
      <summary className="min-h-6 cursor-pointer">
        {times.toLocaleString("en")} times
        {oldest === undefined ? "" : `, since ${formatTime(Date.parse(oldest.at))}`}
      </summary>
      <ul className="max-h-48 overflow-auto font-mono text-xs">
        {records.map(({ id, at, requestId }) => (
          <li key={id}>
            {formatTime(Date.parse(at))} {cleanText(requestId, 64)}
          </li>
        ))}
      </ul>
    </details>
  );
}

/** Who, as whom, what, and what went over the wire for it; what is not known is left out. */
function factsOf(record: AuditRecord): (readonly [name: string, value: string])[] {
  const { actor, proxy, httpStatus, at } = record;
  const row = auditRow(record);
  const facts: (readonly [name: string, value: string | undefined])[] = [
    ["When", formatTime(Date.parse(at))],
    ["Who", actor.user ?? "Somebody unknown"],
    ["Token", actor.token],
    ["From", actor.address],
    ["What", row.OBJECT],
    ["Request", row.REQUEST],
    ["Outcome", `${row.OUTCOME} (${httpStatus})`],
    ["Message", row.MESSAGE],
    ["By the grant", proxy?.grant],
    ["As the user", proxy?.user],
    ["As the groups", proxy?.groups?.join(", ")],
    ["Became", proxy?.upgrade],
    ["Sent", proxy?.requestBytes === undefined ? undefined : byteSize(proxy.requestBytes)],
    ["Answered", proxy?.answerBytes === undefined ? undefined : byteSize(proxy.answerBytes)],
    ["Took", proxy?.durationMs === undefined ? undefined : `${proxy.durationMs.toLocaleString("en")} ms`],
  ];
  return facts.flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, value] as const],
  );
}
