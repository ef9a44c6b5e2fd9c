import {
  approveChange,
  isApproved,
  pinOf,
  type WorkloadDefinition,
  WorkloadInstance,
  type WorkloadPlacement,
} from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { changeSpec } from "../../live/change-spec.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Failed } from "../../ui/states.tsx";
import { holdsOf, shortRevision } from "./holds.ts";

interface HeldBackProps {
  readonly instance: WorkloadInstance;
  readonly definition: WorkloadDefinition | undefined;
  readonly placements: readonly WorkloadPlacement[];
}

/** What waits for somebody's yes. Whoever agrees is the one in whose name the instance acts from then on. */
export function HeldBack({ instance, definition, placements }: HeldBackProps): ReactNode {
  const holds = holdsOf(instance, placements);
  const revision =
    definition === undefined ? undefined : (pinOf(instance, definition) ?? definition.status.revision?.id);
  const approve = useMutation({
    // To what was looked at, and to nothing that came since.
    mutationFn: (id: string) => changeSpec(WorkloadInstance, instance, approveChange(instance, id)),
  });
  if (holds.length === 0) return null;
  const failure = failureIn(approve.error);
  const isAgreed = revision !== undefined && isApproved(instance, revision);
  const { rollout } = instance.status;
  const wave = rollout?.phase === "WaitingForApproval" ? `wave ${rollout.wave} of ` : "";
  return (
    <section aria-label="Held back" className="m-4 rounded-md border border-missing p-3">
      <h2 className="text-lg">Held back until somebody agrees</h2>
      <ul className="mt-1 space-y-1">
        {holds.map(({ reason, cluster, message, resources }) => (
          <li key={`${reason} ${cluster ?? ""}`}>
            <span className="font-semibold">{cleanText(reason, 80)}</span>
            {cluster === undefined ? "" : ` in ${cleanText(cluster)}`}: {cleanText(message)}
            {resources.length > 0 && (
              <details>
                <summary className="cursor-pointer">{resources.length} would be deleted</summary>
                <ul className="pl-5 font-mono">
                  {resources.map((resource) => (
                    <li key={resource}>{cleanText(resource, 300)}</li>
                  ))}
                </ul>
              </details>
            )}
          </li>
        ))}
      </ul>
      {failure !== undefined && <Failed failure={failure} />}
      {isAgreed && (
        <p className="mt-2 text-muted">
          Revision {shortRevision(revision)} is approved
          {instance.status.approvedBy === undefined
            ? "."
            : ` by ${cleanText(instance.status.approvedBy.user, 80)}.`}
        </p>
      )}
      {revision !== undefined && !isAgreed && (
        <p className="mt-2 flex flex-wrap items-center gap-2">
          <Button look="main" disabled={approve.isPending} onClick={() => approve.mutate(revision)}>
            Approve {wave}revision {shortRevision(revision)}
          </Button>
          <span className="text-muted">
            {instance.spec.actingUser === undefined
              ? "It then acts in your name, by your grants."
              : `It acts in the name of ${cleanText(instance.spec.actingUser, 100)}.`}
          </span>
        </p>
      )}
    </section>
  );
}
