import type { Kind, ObjectOf } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { failureIn } from "../live/answers.ts";
import { deleteObject } from "../live/objects.ts";
import { cleanText } from "../text/clean-text.ts";
import { ConfirmByName } from "../ui/confirm-by-name.tsx";
import { Failed } from "../ui/states.tsx";

interface DeleteByNameProps {
  readonly kind: Kind;
  readonly object: ObjectOf<Kind>;
  /** The verb on the button. */
  readonly action: string;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Deletes an object of Bowline once its name was typed, whatever version of it is there by then. */
export function DeleteByName(props: DeleteByNameProps): ReactNode {
  const { kind, object, action, onDeleted, onClose, children } = props;
  const { name } = object.metadata;
  const remove = useMutation({
    mutationFn: () => deleteObject(kind, object, true),
  });
  const failure = failureIn(remove.error);
  return (
    <ConfirmByName
      title={`Delete ${cleanText(name, 80)}`}
      name={name}
      action={action}
      isBusy={remove.isPending}
      // Only while the dialog is open: whoever has closed it may be elsewhere.
      onConfirm={() => remove.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      {children}
      {failure !== undefined && <Failed failure={failure} />}
    </ConfirmByName>
  );
}
