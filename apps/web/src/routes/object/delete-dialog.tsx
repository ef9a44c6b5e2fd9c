import type { KubeObject } from "@bowline/kube/shapes";
import { useMutation } from "@tanstack/react-query";
import { useId, useState, type ReactNode } from "react";

import { deleteObject } from "../../kube/objects.ts";
import type { ObjectPlace } from "../../kube/places.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed } from "../../ui/states.tsx";
import { InstanceWarning } from "./instance-warning.tsx";

export interface DeleteDialogProps {
  readonly place: ObjectPlace;
  readonly object: KubeObject;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** Deletes an object once its name has been typed; by its uid, so that one that comes after it is left alone. */
export function DeleteDialog({ place, object, onClose, onDeleted }: DeleteDialogProps): ReactNode {
  const [typed, setTyped] = useState("");
  const id = useId();
  const { uid } = object.metadata;
  const deletion = useMutation({
    mutationFn: () => deleteObject(place, uid ?? ""),
    onSuccess: onDeleted,
  });
  const failure = failureIn(deletion.error);
  const isTyped = typed === place.name && uid !== undefined;
  return (
    <Dialog title={`Delete ${cleanText(object.kind, 100)}`} onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (isTyped && !deletion.isPending) deletion.mutate();
        }}
      >
        <p>
          This deletes <strong className="break-all">{cleanText(place.name, 253)}</strong>
          {place.namespace === undefined ? "" : ` in ${cleanText(place.namespace, 63)}`} of{" "}
          <strong>{cleanText(place.cluster, 63)}</strong>, and what belongs to it.
        </p>
        <InstanceWarning object={object} />
        <label htmlFor={id} className="block">
          Type its name to delete it:
        </label>
        <input
          id={id}
          value={typed}
          autoComplete="off"
          spellCheck={false}
          className="w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button submits look="danger" disabled={!isTyped || deletion.isPending}>
          Delete {cleanText(object.kind, 100)}
        </Button>
      </form>
      {failure !== undefined && <Failed failure={failure} />}
    </Dialog>
  );
}
