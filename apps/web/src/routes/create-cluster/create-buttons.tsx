import type { ReactNode } from "react";

import { Button } from "../../ui/button.tsx";

/** How far somebody is: the plan is to be asked for, is asked for, is there, or is being carried out. */
type CreateStep = "ask" | "asking" | "planned" | "creating";

interface CreateProgress {
  readonly isAsking: boolean;
  readonly isPlanned: boolean;
  readonly isCreating: boolean;
}

export function stepOf({ isAsking, isPlanned, isCreating }: CreateProgress): CreateStep {
  if (isCreating) return "creating";
  if (isAsking) return "asking";
  return isPlanned ? "planned" : "ask";
}

const words: Readonly<Record<CreateStep, string>> = {
  ask: "Show what it takes",
  asking: "Asking…",
  planned: "Create it",
  creating: "Creating…",
};

/** Read out, where the word on a button that has changed is not. */
const said: Readonly<Record<CreateStep, string>> = {
  ask: "",
  asking: "Asking what it takes",
  planned: "",
  creating: "Creating it",
};

interface CreateButtonsProps {
  readonly step: CreateStep;
  readonly off: string | undefined;
  readonly disabled: boolean;
  /** Whether the cluster is written as text, and not in fields. */
  readonly isText: boolean;
  readonly onText: () => void;
  readonly onClose: () => void;
}

/** Along the lower edge of the dialog, whatever is scrolled above: nothing is seen below them. */
export function CreateButtons(props: CreateButtonsProps): ReactNode {
  const { step, off, disabled, isText, onText, onClose } = props;
  const isCreating = step === "creating";
  return (
    <div className="sticky -bottom-4 -mx-4 -mb-4 flex flex-wrap items-center gap-2 border-t border-border bg-raised px-4 pt-2 pb-4">
      <p role="status" className="sr-only">
        {said[step]}
      </p>
      <Button submits look="main" off={off} disabled={disabled}>
        {words[step]}
      </Button>
      <Button disabled={isCreating} onClick={onClose}>
        Cancel
      </Button>
      <span className="ml-auto">
        <Button look="link" disabled={isCreating} onClick={onText}>
          {isText ? "Back to the fields" : "Edit as YAML"}
        </Button>
      </span>
    </div>
  );
}
