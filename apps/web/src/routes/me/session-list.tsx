import { Session, type Whoami } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";

import { useLiveLists, useObjects } from "../../live/live-context.tsx";
import { useNowMs } from "../../live/now.ts";
import { deleteObject } from "../../live/objects.ts";
import { failureIn } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ageOf, formatTime } from "../../text/time.ts";
import { Button } from "../../ui/button.tsx";
import { usePreferences } from "../../ui/preferences.ts";
import { isInTheWay, ListState } from "../../ui/list-state.tsx";
import { Failed } from "../../ui/states.tsx";
import { signOut } from "../session.ts";

/** The browsers and command lines that one is signed in with; each of the others can be ended. */
export function SessionList({ me }: { me: Whoami }): ReactNode {
  const nowMs = useNowMs();
  const { timeZone } = usePreferences();
  const { streams } = useLiveLists();
  const list = useObjects(Session);
  const own = useMemo(
    () =>
      [...list.items.values()]
        .filter(({ spec, status }) => spec.user === me.user && status.startedAt !== undefined)
        .toSorted((a, b) => (b.status.lastUsedAt ?? "").localeCompare(a.status.lastUsedAt ?? "")),
    [list, me.user],
  );
  const ending = useMutation({ mutationFn: (session: Session) => deleteObject(Session, session, true) });
  const others = own.filter(({ metadata }) => metadata.name !== me.session);
  const endAll = useMutation({
    async mutationFn() {
      for (const session of others) await deleteObject(Session, session, true);
    },
  });
  if (isInTheWay(list)) return <ListState list={list} what="your sessions" />;
  const failure = failureIn(ending.error ?? endAll.error);
  return (
    <>
      <ul className="max-w-3xl divide-y divide-border">
        {own.map((session) => {
          const { metadata, spec, status } = session;
          const isThis = metadata.name === me.session;
          return (
            <li key={metadata.id} className="flex flex-wrap items-baseline gap-x-3 py-1.5">
              <span className="min-w-0 flex-1">
                <span className="block truncate font-semibold" title={cleanText(spec.userAgent ?? "")}>
                  {cleanText(spec.userAgent ?? "unknown browser", 100)}
                </span>
                <span className="text-xs text-muted">
                  {isThis && <strong className="text-healthy">this one · </strong>}
                  from {cleanText(spec.address ?? "somewhere")} · used {ageOf(status.lastUsedAt, nowMs)} ago ·
                  ends {formatTime(Date.parse(spec.expiresAt), timeZone)}
                </span>
              </span>
              {isThis ? (
                <Button onClick={() => void signOut(streams)}>Sign out</Button>
              ) : (
                <Button
                  aria-label={`End the session ${metadata.name}`}
                  disabled={ending.isPending}
                  onClick={() => ending.mutate(session)}
                >
                  End
                </Button>
              )}
            </li>
          );
        })}
      </ul>
      {others.length > 1 && (
        <div className="mt-2">
          <Button look="danger" disabled={endAll.isPending} onClick={() => endAll.mutate()}>
            End all {others.length} others
          </Button>
        </div>
      )}
      {failure !== undefined && <Failed failure={failure} />}
    </>
  );
}
