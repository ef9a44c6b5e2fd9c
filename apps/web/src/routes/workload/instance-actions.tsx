import {
  followChange,
  pageLimits,
  pauseChange,
  resumeChange,
  revisionBefore,
  rollbackChange,
  WorkloadInstance,
  type WorkloadRevisionList,
} from "@bowline/api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { lazyRouteComponent } from "@tanstack/react-router";
import { Suspense, useState, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { changeSpec } from "../../live/change-spec.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { shortRevision } from "./holds.ts";
import { useInstanceOff } from "./instance-off.ts";
import { revisionsPath } from "./revision-choice.ts";

const Expose = lazyRouteComponent(() => import("../expose/expose.tsx"), "Expose");

type Opened = "pause" | "resume" | "rollback" | "expose" | undefined;

/** Host names, stopping, going on and going back: what `bowline expose`, `pause`, `resume` and `rollback` do. */
export function InstanceActions({ instance }: { instance: WorkloadInstance }): ReactNode {
  const [opened, setOpened] = useState<Opened>();
  const close = (): void => setOpened(undefined);
  const off = useInstanceOff();
  const isStill = resumeChange(instance) !== undefined;
  return (
    <>
      <Button off={off} onClick={() => setOpened("expose")}>
        Expose
      </Button>
      {isStill && (
        <Button off={off} onClick={() => setOpened("resume")}>
          Resume
        </Button>
      )}
      {instance.spec.paused === undefined && (
        <Button off={off} onClick={() => setOpened("pause")}>
          Pause
        </Button>
      )}
      <Button off={off} onClick={() => setOpened("rollback")}>
        Roll back
      </Button>
      {opened === "expose" && (
        <Suspense fallback={null}>
          <Expose instance={instance.metadata.name} onClose={close} />
        </Suspense>
      )}
      {opened === "pause" && <PauseDialog instance={instance} onClose={close} />}
      {opened === "resume" && <ResumeDialog instance={instance} onClose={close} />}
      {opened === "rollback" && <RollbackDialog instance={instance} onClose={close} />}
    </>
  );
}

interface ActionProps {
  readonly instance: WorkloadInstance;
  readonly onClose: () => void;
}

interface ConfirmProps extends ActionProps {
  readonly title: string;
  readonly action: string;
  /** Undefined while there is nothing to do. */
  readonly change: object | undefined;
  readonly children: ReactNode;
}

function Confirm({ instance, title, action, change, onClose, children }: ConfirmProps): ReactNode {
  const write = useMutation({
    mutationFn: (spec: object) => changeSpec(WorkloadInstance, instance, spec),
    onSuccess: onClose,
  });
  const failure = failureIn(write.error);
  return (
    <Dialog title={`${title} ${cleanText(instance.metadata.name, 63)}`} onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (change !== undefined && !write.isPending) write.mutate(change);
        }}
      >
        {children}
        <div className="flex gap-2">
          <Button submits look="main" disabled={change === undefined || write.isPending}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
      {failure !== undefined && <Failed failure={failure} />}
    </Dialog>
  );
}

function PauseDialog(props: ActionProps): ReactNode {
  const [reason, setReason] = useState("");
  return (
    <Confirm {...props} title="Pause" action="Pause it" change={pauseChange(reason.trim())}>
      <p>
        Its clusters stay as they are: no new revision, no new cluster, nothing removed. What somebody changes
        by hand is still set right.
      </p>
      <FormField label="Why" help="For whoever finds it paused; may be empty.">
        {(ids) => (
          <input
            {...ids}
            value={reason}
            maxLength={1_024}
            className={fieldClass}
            onChange={(event) => setReason(event.target.value)}
          />
        )}
      </FormField>
    </Confirm>
  );
}

function ResumeDialog(props: ActionProps): ReactNode {
  const { rollout } = props.instance.status;
  const failed = rollout?.failed ?? [];
  return (
    <Confirm {...props} title="Resume" action="Let it go on" change={resumeChange(props.instance)}>
      <p>It goes on from where it stands.</p>
      {failed.length > 0 && (
        <p>
          It has failed in {cleanText(failed.slice(0, 5).join(", "), 400)}
          {failed.length > 5 ? ` and ${failed.length - 5} more` : ""}. It goes on with these, and stops at the
          next.
        </p>
      )}
    </Confirm>
  );
}

function RollbackDialog(props: ActionProps): ReactNode {
  const { instance } = props;
  const { spec, metadata } = instance;
  const query = { limit: String(pageLimits.maximum), instance: metadata.name };
  const { data, error } = useQuery({
    queryKey: ["revisions-to-go-back-to", spec.definition, metadata.name, instance.status.revision],
    queryFn: ({ signal }) => request<WorkloadRevisionList>(revisionsPath(spec.definition, query), { signal }),
    gcTime: 0,
  });
  const [chosen, setChosen] = useState<string>();
  const others = data?.items.filter(({ id }) => id !== instance.status.revision) ?? [];
  const target = chosen ?? (data === undefined ? undefined : revisionBefore(instance, data.items)?.id);
  const isFollowing = chosen === "";
  const change = isFollowing
    ? followChange
    : target === undefined || data === undefined
      ? undefined
      : rollbackChange(instance, target, data.items);
  const failure = failureIn(error);
  return (
    <Confirm {...props} title="Roll back" action={isFollowing ? "Follow it" : "Go there"} change={change}>
      <p>The revision that is left is not taken again; the next one of the definition is.</p>
      {failure !== undefined && <Failed failure={failure} />}
      {data === undefined && failure === undefined && <Loading what="the revisions" />}
      {data !== undefined && others.length === 0 && spec.revision === undefined && (
        <Empty>No other revision is kept.</Empty>
      )}
      <fieldset>
        <legend className="font-semibold">Where to</legend>
        {spec.revision !== undefined && (
          <Choice isChosen={isFollowing} onChoose={() => setChosen("")}>
            follow the definition again
          </Choice>
        )}
        {others.map(({ id, resolvedAt, author, commit, clusters }) => (
          <Choice key={id} isChosen={!isFollowing && id === target} onChoose={() => setChosen(id)}>
            <code title={id}>{shortRevision(id)}</code>{" "}
            <span className="text-muted">
              <Age at={resolvedAt} /> ago
              {author === undefined ? "" : `, by ${cleanText(author, 80)}`}
              {commit === undefined ? "" : `, ${cleanText(commit.slice(0, 12))}`}, in {clusters} clusters
            </span>
          </Choice>
        ))}
      </fieldset>
    </Confirm>
  );
}

interface ChoiceProps {
  readonly isChosen: boolean;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

function Choice({ isChosen, onChoose, children }: ChoiceProps): ReactNode {
  return (
    <label className="flex min-h-6 items-center gap-2">
      <input type="radio" name="rollback-to" checked={isChosen} onChange={onChoose} />
      <span>{children}</span>
    </label>
  );
}
