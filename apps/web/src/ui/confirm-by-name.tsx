import { useId, useState, type FormEvent, type ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";
import { Button } from "./button.tsx";
import { Dialog } from "./dialog.tsx";

export interface ConfirmByNameProps {
  readonly title: string;
  /** What has to be typed. */
  readonly name: string;
  /** The verb on the button. */
  readonly action: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly isBusy?: boolean;
  /** What will happen. */
  readonly children: ReactNode;
}

/** Before something that cannot be taken back: whoever does it types the name of what it is done to. */
export function ConfirmByName(props: ConfirmByNameProps): ReactNode {
  const { title, name, action, onConfirm, onClose, isBusy = false, children } = props;
  const id = useId();
  const [typed, setTyped] = useState("");
  const isSame = typed === name;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (isSame && !isBusy) onConfirm();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form className="space-y-4" onSubmit={submit}>
        {children}
        <div>
          <label htmlFor={id} className="mb-1 block">
            Type <span className="font-mono font-semibold">{cleanText(name, 63)}</span> to go on
          </label>
          <input
            id={id}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            className="w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        <div className="flex gap-2">
          <Button look="danger" submits disabled={!isSame || isBusy}>
            {action}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}
