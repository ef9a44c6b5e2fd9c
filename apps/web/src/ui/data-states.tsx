import type { ReactNode } from "react";

import { useNowMs } from "../live/now.ts";
import { cleanText } from "../text/clean-text.ts";
import { ageOf, formatTime } from "../text/time.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";
import { usePreferences } from "./preferences.ts";
import { changedFields } from "./three-way.ts";

export interface StaleProps {
  /** When something was heard last, as a date. */
  readonly heardAt: string;
  readonly isReconnecting?: boolean;
  readonly onReconnect?: () => void;
}

/** Nothing was heard for a while: what is on the page may be old, and stays. */
export function Stale({ heardAt, isReconnecting = false, onReconnect }: StaleProps): ReactNode {
  const nowMs = useNowMs();
  return (
    <p
      role="status"
      className="inline-flex items-center gap-2 rounded-md border border-missing px-2 py-0.5 text-xs text-missing"
    >
      <span aria-hidden="true">◔</span>
      {isReconnecting ? "Reconnecting" : "Quiet"}: as of {ageOf(heardAt, nowMs)} ago
      {onReconnect !== undefined && (
        <Button look="link" onClick={onReconnect}>
          Try now
        </Button>
      )}
    </p>
  );
}

/** Something that an answer may lack. */
export interface Gap {
  /** Where: a cluster, a kind in it, a namespace. */
  readonly what: string;
  /** In a few words: down, forbidden, not configured. */
  readonly why: string;
  readonly since?: string | undefined;
}

export interface NotObservedProps {
  readonly gaps: readonly Gap[];
  /** How many there are in all, where not all of them are listed. */
  readonly total?: number;
}

/** What nobody looked at, so that "none" does not mean that there is none. */
export function NotObserved({ gaps, total = gaps.length }: NotObservedProps): ReactNode {
  const nowMs = useNowMs();
  if (total === 0) return null;
  return (
    <details className="m-2 rounded-md border border-dashed border-control px-3 py-1.5">
      <summary className="cursor-pointer">
        <span aria-hidden="true">▨ </span>
        Not observed: {total.toLocaleString("en")} {total === 1 ? "gap" : "gaps"}. The answer may lack what is
        there.
      </summary>
      <ul className="mt-1.5 space-y-0.5">
        {gaps.map(({ what, why, since }) => (
          <li key={`${what} ${why}`}>
            <span className="font-mono">{cleanText(what, 300)}</span>{" "}
            <span className="text-muted">
              {cleanText(why, 300)}
              {since === undefined ? "" : `, for ${ageOf(since, nowMs)}`}
            </span>
          </li>
        ))}
        {gaps.length < total && (
          <li className="text-muted">and {(total - gaps.length).toLocaleString("en")} more</li>
        )}
      </ul>
    </details>
  );
}

/** Around everything that shows an earlier time, so that nobody takes it for now. Nothing in there may write. */
export function AsOf({
  atMs,
  onNow,
  children,
}: {
  atMs: number;
  onNow: () => void;
  children: ReactNode;
}): ReactNode {
  const { timeZone } = usePreferences();
  return (
    <div className="flex min-h-0 flex-1 flex-col border-2 border-unknown">
      <p role="status" className="flex flex-wrap items-center gap-3 bg-surface px-3 py-1">
        <span className="font-semibold text-unknown">As of {formatTime(atMs, timeZone)}</span>
        <span className="text-muted">Nothing can be changed in the past.</span>
        <Button onClick={onNow}>Back to now (n)</Button>
      </p>
      {children}
    </div>
  );
}

export interface ConflictProps {
  /** The object as it was when you began, as you want it, and as it is by now. */
  readonly base: unknown;
  readonly yours: unknown;
  readonly theirs: unknown;
  /** Writes your changes over what is there by now. */
  readonly onKeep: () => void;
  /** Begins again from what is there by now. */
  readonly onRedo: () => void;
}

/** Somebody else wrote it meanwhile: the three versions side by side, field by field. */
export function Conflict({ base, yours, theirs, onKeep, onRedo }: ConflictProps): ReactNode {
  const fields = changedFields(base, yours, theirs);
  return (
    <section role="alert" aria-label="Conflict" className="rounded-md border border-missing p-3">
      <h2 className="text-lg">Somebody else has changed it meanwhile</h2>
      <div className="mt-2 overflow-x-auto">
        <table className="w-full text-left">
          <thead className="text-xs text-muted">
            <tr>
              {["Field", "Yours", "Theirs", "Before"].map((title) => (
                <th key={title} scope="col" className="pr-3 pb-1 font-semibold">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map((field) => (
              <tr key={field.path} className="border-t border-border align-top">
                <th scope="row" className="py-1 pr-3 font-mono font-normal">
                  {cleanText(field.path, 200)}
                  {field.isContested && <span className="block font-sans text-missing">both changed it</span>}
                </th>
                <Version value={field.yours} />
                <Version value={field.theirs} />
                <Version value={field.base} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button look="main" onClick={onKeep}>
          Keep my changes
        </Button>
        <Button onClick={onRedo}>Begin again from theirs</Button>
      </div>
    </section>
  );
}

function Version({ value }: { value: unknown }): ReactNode {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return (
    <td className="py-1 pr-3 font-mono wrap-anywhere">{text === undefined ? "–" : cleanText(text, 400)}</td>
  );
}

export interface SessionOverProps {
  readonly onClose: () => void;
  /** How to sign in. */
  readonly children: ReactNode;
}

/** Over the page that was there, so that nothing that was typed is lost. */
export function SessionOverDialog({ onClose, children }: SessionOverProps): ReactNode {
  return (
    <Dialog title="Your session is over" onClose={onClose}>
      <p className="mb-3 text-muted">
        It was ended, or nobody used it for too long. Sign in again to go on where you are.
      </p>
      {children}
    </Dialog>
  );
}
