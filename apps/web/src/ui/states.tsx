import { useEffect, useState, type ReactNode } from "react";

import type { Failure } from "../live/failure.ts";
import { useNowMs } from "../live/now.ts";
import { cleanText } from "../text/clean-text.ts";
import { ageOf } from "../text/time.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy-button.tsx";
import { refusalOf } from "./refusal.ts";

export interface LoadingProps {
  /** Completes "Waiting for …". */
  readonly what: string;
  /** The shape of what will be there; some lines when not given. */
  readonly skeleton?: ReactNode;
  /** The way out after a long wait; loads the page again when not given. */
  readonly onLeave?: (() => void) | undefined;
}

/** Nothing for a moment, then lines where the rows will be, then what is waited for. */
export function Loading({ what, skeleton, onLeave }: LoadingProps): ReactNode {
  const [waitedMs, setWaitedMs] = useState(0);
  useEffect(() => {
    const timers = [150, 5_000, 15_000].map((ms) => setTimeout(() => setWaitedMs(ms), ms));
    return () => timers.forEach((timer) => clearTimeout(timer));
  }, []);
  if (waitedMs === 0) return null;
  return <Waiting {...{ what, skeleton, onLeave, waitedMs }} />;
}

/** The same at a moment of one's choice. */
export function Waiting(props: LoadingProps & { readonly waitedMs: number }): ReactNode {
  const { skeleton, waitedMs, onLeave } = props;
  // Names of whatever is waited for come from addresses, which anybody may have written.
  const what = cleanText(props.what, 300);
  return (
    <div className="space-y-2 p-4" role="status">
      <span className="sr-only">Waiting for {what}.</span>
      {waitedMs < 5_000 ? (
        (skeleton ?? <SkeletonLines />)
      ) : (
        <p className="text-muted">
          Still waiting for {what}.{" "}
          {waitedMs >= 15_000 && (
            <Button look="link" onClick={onLeave ?? (() => location.reload())}>
              {onLeave === undefined ? "Load the page again" : "Give up"}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

const skeletonWidths = ["w-2/3", "w-1/2", "w-3/5", "w-2/5"];

function SkeletonLines(): ReactNode {
  return skeletonWidths.map((width) => (
    <div key={width} className={`h-4 rounded-sm bg-border motion-safe:animate-pulse ${width}`} />
  ));
}

/** Nothing is here, and what would be. */
export function Empty({ children }: { children: ReactNode }): ReactNode {
  return <div className="p-6 text-muted [&_a]:underline">{children}</div>;
}

/** The filter hides everything. */
export function FilteredEmpty({ hidden, onClear }: { hidden: number; onClear: () => void }): ReactNode {
  return (
    <Empty>
      {hidden.toLocaleString("en")} hidden by the filter.{" "}
      <Button look="link" onClick={onClear}>
        Clear it
      </Button>
    </Empty>
  );
}

export interface FailedProps {
  readonly failure: Failure;
  readonly onRetry?: (() => void) | undefined;
  /** What a 403 lacks, as far as the screen knows, such as "get pods in shop on edge". */
  readonly missing?: string | undefined;
  /** Whom to ask. */
  readonly admins?: readonly string[] | undefined;
}

/** The server or a cluster says no, or cannot. */
export function Failed(props: FailedProps): ReactNode {
  const { failure, onRetry } = props;
  if (failure.status === 403) return <Forbidden {...props} />;
  if (failure.code === "AgentOffline") return <Offline failure={failure} onRetry={onRetry} />;
  return (
    <FailureBox title="This did not work" failure={failure} onRetry={onRetry}>
      {failure.fields !== undefined && failure.fields.length > 0 && (
        <ul className="mt-2 list-disc pl-5">
          {failure.fields.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              <code>{cleanText(path, 200)}</code> {cleanText(message, 300)}
            </li>
          ))}
        </ul>
      )}
    </FailureBox>
  );
}

/** Somebody may not: who says so, the piece that is missing, and who can give it. */
export function Forbidden({ failure, onRetry, missing, admins }: FailedProps): ReactNode {
  const { title, advice, by } = refusalOf(failure);
  return (
    <FailureBox title={title} failure={failure} onRetry={onRetry}>
      {missing !== undefined && (
        <p className="mt-2">
          Missing: <span className="font-mono">{cleanText(missing, 300)}</span>
        </p>
      )}
      <p className="mt-2 text-muted">{advice}</p>
      {by !== "cluster" && admins !== undefined && admins.length > 0 && (
        <p className="mt-1 text-muted">Admins here: {cleanText(admins.join(", "), 300)}.</p>
      )}
    </FailureBox>
  );
}

export interface OfflineProps {
  readonly failure: Pick<Failure, "code" | "message" | "requestId" | "lastSeenAt">;
  readonly onRetry?: (() => void) | undefined;
  /** What was known last: shown greyed, and nothing in it can be pressed. */
  readonly children?: ReactNode;
}

/** What is asked for is away, and comes back by itself. */
export function Offline({ failure, onRetry, children }: OfflineProps): ReactNode {
  const nowMs = useNowMs();
  const { lastSeenAt } = failure;
  const since = lastSeenAt === undefined ? "" : ` It was last here ${ageOf(lastSeenAt, nowMs)} ago.`;
  return (
    <>
      <FailureBox title="The agent is away" failure={failure} onRetry={onRetry} isCalm>
        <p className="mt-2 text-muted">{since} This page goes on by itself when it is back.</p>
      </FailureBox>
      {children !== undefined && (
        <fieldset disabled aria-label="As it was known last" className="min-w-0 grayscale">
          {children}
        </fieldset>
      )}
    </>
  );
}

interface FailureBoxProps {
  readonly title: string;
  readonly failure: Pick<Failure, "code" | "message" | "requestId">;
  readonly onRetry?: (() => void) | undefined;
  /** Said when there is time for it, and not at once. */
  readonly isCalm?: boolean;
  readonly children?: ReactNode;
}

function FailureBox({ title, failure, onRetry, isCalm = false, children }: FailureBoxProps): ReactNode {
  const { code, message, requestId } = failure;
  return (
    <div
      className="m-4 max-w-prose rounded-md border border-border bg-surface p-4"
      role={isCalm ? "status" : "alert"}
    >
      <h2 className="text-lg">{title}</h2>
      <p className="mt-1 wrap-anywhere">{cleanText(message)}</p>
      {children}
      <p className="mt-2 flex flex-wrap items-center gap-2 text-xs text-muted">
        <span>{code}</span>
        {requestId !== undefined && (
          <>
            <span>
              request <span className="font-mono">{cleanText(requestId, 64)}</span>
            </span>
            <CopyButton text={requestId} what="the request id" />
          </>
        )}
      </p>
      {onRetry !== undefined && (
        <div className="mt-3">
          <Button onClick={onRetry}>Try again</Button>
        </div>
      )}
    </div>
  );
}
