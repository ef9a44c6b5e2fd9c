import type { Kind, ObjectOf } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";

import { readYaml, yamlText } from "../../kube/yaml-text.ts";
import { failureIn } from "../../live/answers.ts";
import { replaceObject } from "../../live/change-spec.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { CodeView } from "../../ui/code/code-view.tsx";
import { DiffView } from "../../ui/code/diff-view.tsx";
import { Failed } from "../../ui/states.tsx";
import { writtenPart } from "./written-part.ts";

interface ObjectTextProps {
  readonly kind: Kind;
  readonly object: ObjectOf<Kind>;
  /** Why it cannot be edited. */
  readonly off: string | undefined;
}

/** All of an object of Bowline as it changes, and the part of it that people write, to be edited. */
export function ObjectText({ kind, object, off }: ObjectTextProps): ReactNode {
  // As it was when somebody began: what others write meanwhile is not written over.
  const [edited, setEdited] = useState<ObjectOf<Kind>>();
  const [isWritten, setWritten] = useState(false);
  const text = useMemo(() => yamlText(object), [object]);
  const name = cleanText(object.metadata.name, 253);
  if (edited !== undefined) {
    return (
      <EditText
        key={edited.metadata.resourceVersion}
        kind={kind}
        base={edited}
        onAnew={() => setEdited(object)}
        onDone={(hasChanged) => {
          setEdited(undefined);
          setWritten(hasChanged);
        }}
      />
    );
  }
  return (
    <div className="flex h-full min-h-80 flex-col">
      <div className="flex flex-wrap items-center gap-2 px-4 py-2">
        <span role="status" className="text-muted">
          {isWritten ? "Written." : ""}
        </span>
        {/* Why it is off is told to the left of its end, where there is room for it. */}
        <span className="ml-auto">
          <Button off={off} onClick={() => setEdited(object)}>
            Edit
          </Button>
        </span>
      </div>
      <div className="min-h-0 flex-1">
        <CodeView label={`YAML of ${name}`} text={text} folded={["status:"]} />
      </div>
    </div>
  );
}

interface EditTextProps {
  readonly kind: Kind;
  readonly base: ObjectOf<Kind>;
  /** Begins with what is there now. */
  readonly onAnew: () => void;
  readonly onDone: (hasChanged: boolean) => void;
}

/** Typed, looked at by the server without being kept, and only then written. */
function EditText({ kind, base, onAnew, onDone }: EditTextProps): ReactNode {
  const start = useMemo(() => yamlText(writtenPart(base)), [base]);
  const [text, setText] = useState(start);
  const body = useMemo(() => readYaml(text).object, [text]);
  const tried = useMutation({
    mutationFn: (wanted: object) => replaceObject(kind, base, { body: wanted, dryRun: true }),
  });
  const write = useMutation({
    mutationFn: (wanted: object) => replaceObject(kind, base, { body: wanted, dryRun: false }),
    onSuccess: () => onDone(true),
  });
  const failure = failureIn(write.error) ?? failureIn(tried.error);
  const isStale = failure?.status === 412;
  const isReview = tried.data !== undefined;
  const change = (typed: string): void => {
    setText(typed);
    tried.reset();
    write.reset();
  };
  const isBusy = tried.isPending || write.isPending;
  const isOff = body === undefined || text === start || isBusy;
  return (
    <div className="flex h-full min-h-80 flex-col">
      <div className="flex flex-wrap items-center gap-2 px-4 py-2">
        <Button
          look="main"
          disabled={isOff}
          onClick={() => body !== undefined && (isReview ? write : tried).mutate(body)}
        >
          {isReview ? "Write it" : "Review the change"}
        </Button>
        {isReview ? (
          <Button disabled={isBusy} onClick={() => change(text)}>
            Go on editing
          </Button>
        ) : (
          <Button onClick={() => onDone(false)}>Cancel</Button>
        )}
        <span role="status" className={body === undefined ? "text-degraded" : "text-muted"}>
          {body === undefined ? "This is no YAML yet." : ""}
          {isReview ? "The server has looked at it and kept nothing. This is what would change." : ""}
        </span>
      </div>
      {failure !== undefined && <Failed failure={failure} />}
      {isStale && (
        <p className="px-4 pb-2">
          Somebody else has changed it meanwhile.{" "}
          <Button look="link" onClick={onAnew}>
            Begin with what is there now
          </Button>
        </p>
      )}
      <div className="min-h-0 flex-1">
        {isReview ? (
          <DiffView label="What would change" before={start} after={yamlText(writtenPart(tried.data))} />
        ) : (
          <CodeView
            label={`Edit ${cleanText(base.metadata.name, 253)}`}
            text={text}
            onChange={change}
            onSubmit={() => body !== undefined && !isOff && tried.mutate(body)}
            problemsOf={(typed) => readYaml(typed).problems}
          />
        )}
      </div>
    </div>
  );
}
