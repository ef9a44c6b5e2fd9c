import { useMutation } from "@tanstack/react-query";
import { useEffect, useMemo, useReducer, type ReactNode } from "react";

import { editablePart } from "../../kube/change-patch.ts";
import { changeObject } from "../../kube/objects.ts";
import { readYaml } from "../../kube/yaml-text.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { CodeView } from "../../ui/code/code-view.tsx";
import { Conflict } from "../../ui/data-states.tsx";
import { Empty, Failed } from "../../ui/states.tsx";
import { changeOf, editReducer, editStart, hasMovedOn, type Edit, type EditAction } from "./edit-state.ts";
import { InstanceWarning } from "./instance-warning.tsx";
import { ReviewEdit } from "./review-edit.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** Changes an object: typed, tried by the cluster without being kept, looked at, and only then written. */
export function EditTab({ place, object, isGone }: ObjectTabProps): ReactNode {
  const [edit, dispatch] = useReducer(editReducer, object, editStart);
  const patch = useMemo(() => changeOf(edit), [edit]);
  const write = useMutation({
    mutationFn: async ({ dryRun }: { readonly dryRun: boolean }) => {
      if (patch === undefined) return;
      const changed = await changeObject({ place, base: edit.base, patch, dryRun });
      if ("theirs" in changed) dispatch({ type: "conflicted", theirs: changed.theirs });
      else if (dryRun) dispatch({ type: "tried", result: changed.result });
      else dispatch({ type: "written", result: changed.result });
    },
  });
  const hasChange = patch !== undefined;
  const isOld = edit.step === "typing" && hasMovedOn(edit, object);
  useEffect(() => {
    if (isOld && !hasChange && readYaml(edit.text).object !== undefined)
      dispatch({ type: "movedOn", object });
  }, [isOld, hasChange, edit.text, object]);
  const failure = failureIn(write.error);
  if (isGone) return <Empty>It is gone: there is nothing left to edit.</Empty>;
  return (
    <div className="flex h-full flex-col">
      <div className="space-y-2 px-4 py-2">
        <InstanceWarning object={object} />
        <Steps
          edit={edit}
          hasChange={hasChange}
          isBusy={write.isPending}
          dispatch={dispatch}
          onWrite={(dryRun) => write.mutate({ dryRun })}
        />
        {isOld && hasChange && (
          <p className="text-missing">
            It has changed since you began.{" "}
            <Button look="link" onClick={() => dispatch({ type: "conflicted", theirs: object })}>
              Compare
            </Button>
          </p>
        )}
      </div>
      {failure !== undefined && edit.step !== "conflict" && <Failed failure={failure} />}
      <div className="min-h-0 flex-1">
        {edit.step === "typing" && (
          <CodeView
            label={`Edit ${cleanText(place.name, 253)}`}
            text={edit.text}
            onChange={(text) => dispatch({ type: "typed", text })}
            onSubmit={() => write.mutate({ dryRun: true })}
            problemsOf={problemsOf}
          />
        )}
        {edit.step === "review" && <ReviewEdit edit={edit} />}
        {edit.step === "conflict" && (
          <div className="p-4">
            <Conflict
              base={editablePart(edit.base)}
              yours={edit.yours}
              theirs={editablePart(edit.theirs)}
              onKeep={() => dispatch({ type: "redo" })}
              onRedo={() => dispatch({ type: "restart", object: edit.theirs })}
            />
          </div>
        )}
      </div>
    </div>
  );
}

function problemsOf(text: string): ReturnType<typeof readYaml>["problems"] {
  return readYaml(text).problems;
}

function problemIn(text: string): string | undefined {
  const [first] = problemsOf(text);
  return first === undefined ? undefined : `This is no YAML yet: ${cleanText(first.message, 200)}`;
}

interface StepsProps {
  readonly edit: Edit;
  readonly hasChange: boolean;
  readonly isBusy: boolean;
  readonly dispatch: (action: EditAction) => void;
  readonly onWrite: (dryRun: boolean) => void;
}

/** What can be done at the moment, and a sentence about where one is. */
function Steps({ edit, hasChange, isBusy, dispatch, onWrite }: StepsProps): ReactNode {
  if (edit.step === "conflict") return null;
  const problem = hasChange ? undefined : problemIn(edit.text);
  if (edit.step === "review") {
    return (
      <div className="flex flex-wrap items-center gap-2">
        <Button look="main" disabled={isBusy} onClick={() => onWrite(false)}>
          Write it
        </Button>
        <Button disabled={isBusy} onClick={() => dispatch({ type: "back" })}>
          Go on editing
        </Button>
        <span className="text-muted">
          The cluster has tried it and kept nothing. This is what would change.
        </span>
      </div>
    );
  }
  return (
    <div className="flex flex-wrap items-center gap-2">
      <Button look="main" disabled={!hasChange || isBusy} onClick={() => onWrite(true)}>
        Review the change
      </Button>
      <span role="status" className={problem === undefined ? "text-muted" : "text-degraded"}>
        {edit.isWritten && !hasChange ? "Written. " : ""}
        {problem ?? (hasChange ? "Ctrl-S tries it without keeping anything." : "Nothing is changed.")}
      </span>
    </div>
  );
}
