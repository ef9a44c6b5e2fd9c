import type { KubeObject } from "@bowline/kube/shapes";
import { useMutation } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import type { ObjectPlace } from "../../kube/places.ts";
import { readReplicas, scaleObject, wantedReplicas } from "../../kube/scale.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { fieldClass, FormField } from "../../ui/form-field.tsx";
import { Failed } from "../../ui/states.tsx";
import { InstanceWarning } from "./instance-warning.tsx";

export interface ScaleDialogProps {
  readonly place: ObjectPlace;
  readonly object: KubeObject;
  readonly onClose: () => void;
}

/** How many pods there should be. */
export function ScaleDialog({ place, object, onClose }: ScaleDialogProps): ReactNode {
  const now = wantedReplicas(object);
  const [typed, setTyped] = useState(String(now));
  const replicas = readReplicas(typed);
  const scaling = useMutation({
    mutationFn: (wanted: number) => scaleObject(place, wanted),
    onSuccess: onClose,
  });
  const failure = failureIn(scaling.error);
  const canScale = replicas !== undefined && replicas !== now && !scaling.isPending;
  return (
    <Dialog title={`Scale ${cleanText(object.kind, 100)}`} onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          if (canScale) scaling.mutate(replicas);
        }}
      >
        <InstanceWarning object={object} />
        <FormField
          label="Replicas"
          help={`${cleanText(place.name, 253)} wants ${now} now. An autoscaler, if it has one, may set another number.`}
          problem={replicas === undefined ? "A whole number from 0 to 10000." : undefined}
        >
          {(ids) => (
            <input
              {...ids}
              value={typed}
              inputMode="numeric"
              autoComplete="off"
              className={fieldClass}
              onChange={(event) => setTyped(event.target.value)}
            />
          )}
        </FormField>
        {replicas === 0 && now > 0 && <p className="text-missing">No pod of it will be left.</p>}
        <Button submits look="main" disabled={!canScale}>
          {replicas === undefined ? "Scale" : `Scale to ${replicas}`}
        </Button>
      </form>
      {failure !== undefined && <Failed failure={failure} />}
    </Dialog>
  );
}
