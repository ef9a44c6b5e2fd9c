import { GraphQuestion } from "@bowline/api";
import { useEffect, useId, useRef, useState, type ReactNode } from "react";

import type { Failure } from "../../live/failure.ts";
import { request, RequestFailed } from "../../live/request.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed } from "../../ui/states.tsx";
import type { QuestionCard } from "./question-cards.ts";

export interface KeepDialogProps {
  readonly card: QuestionCard;
  readonly parameters: Readonly<Record<string, string>>;
  readonly onClose: () => void;
}

/** Keeps a question, so that one is told when its answer becomes another one. */
export function KeepDialog({ card, parameters, onClose }: KeepDialogProps): ReactNode {
  const id = useId();
  const [name, setName] = useState(suggestedName(card.name, parameters));
  const [failure, setFailure] = useState<Failure>();
  const [isBusy, setBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  // After the window has put the focus on its first button.
  useEffect(() => field.current?.select(), []);
  const keep = async (): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    try {
      const { cluster, at: _, ...own } = parameters;
      const spec = {
        question: card.name,
        parameters: own,
        ...(cluster === undefined ? {} : { cluster }),
      };
      await request(`/api/v1/${GraphQuestion.plural}`, {
        method: "POST",
        body: { metadata: { name }, spec },
      });
      onClose();
    } catch (error) {
      if (!(error instanceof RequestFailed)) throw error;
      setFailure(error.failure);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title="Tell me when this changes" onClose={onClose}>
      <form
        className="space-y-3"
        onSubmit={(event) => {
          event.preventDefault();
          void keep();
        }}
      >
        <p className="text-muted">
          The question is kept as a GraphQuestion, and asked again whenever something changes, with your
          rights. When its answer is another one there is an event of it; a webhook can be added to it with
          bowline edit.
        </p>
        <label htmlFor={id} className="block font-semibold">
          Name
        </label>
        <input
          ref={field}
          id={id}
          value={name}
          required
          maxLength={63}
          className="w-full rounded-sm border border-control bg-bg px-2 py-1 font-mono"
          onChange={({ target }) => setName(target.value)}
        />
        {failure !== undefined && <Failed failure={failure} />}
        <Button look="main" submits disabled={isBusy}>
          Keep it
        </Button>
      </form>
    </Dialog>
  );
}

/** A name that the API takes, of what is asked. */
export function suggestedName(question: string, parameters: Readonly<Record<string, string>>): string {
  return [question, ...Object.values(parameters)]
    .join("-")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .replace(/^-|-$/gu, "")
    .slice(0, 63)
    .replace(/-$/u, "");
}
