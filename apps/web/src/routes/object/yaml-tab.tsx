import { useMutation } from "@tanstack/react-query";
import { useMemo, useState, type ReactNode } from "react";

import { secretKeys, secretText } from "../../kube/hidden-secret.ts";
import { isSecret, readObject, readSecretValue } from "../../kube/objects.ts";
import type { ObjectPlace } from "../../kube/places.ts";
import { yamlText } from "../../kube/yaml-text.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { CodeView } from "../../ui/code/code-view.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Failed } from "../../ui/states.tsx";
import type { ObjectTabProps } from "./tabs.ts";

const folded = ["  managedFields:", "status:"];

/** All of an object, as it changes. */
export function YamlTab({ place, object, refused }: ObjectTabProps): ReactNode {
  const text = useMemo(() => yamlText(object), [object]);
  return (
    <div className="flex h-full flex-col">
      {isSecret(place) && <SecretValues place={place} known={secretKeys(object)} off={refused.values} />}
      <div className="min-h-0 flex-1">
        <CodeView label={`YAML of ${cleanText(place.name, 253)}`} text={text} folded={folded} />
      </div>
    </div>
  );
}

interface SecretValuesProps {
  readonly place: ObjectPlace;
  readonly known: readonly string[];
  /** Why they are not to be seen. */
  readonly off: string | undefined;
}

/** The values of a Secret, one at a time and only when asked for. */
function SecretValues({ place, known, off }: SecretValuesProps): ReactNode {
  const [shown, setShown] = useState<{ readonly key: string; readonly text: string }>();
  const reading = useMutation({
    mutationFn: (key: string) => readSecretValue(place, key),
    onSuccess: (value, key) => setShown({ key, text: value === undefined ? "(gone)" : secretText(value) }),
  });
  const naming = useMutation({ mutationFn: () => readObject(place) });
  const keys = naming.data === undefined ? known : secretKeys(naming.data);
  const failure = failureIn(reading.error ?? naming.error);
  return (
    <section aria-label="Values" className="border-b border-border bg-surface px-4 py-2">
      <p className="text-muted">
        Values are hidden, and not even fetched. To show one asks the cluster for it, and the audit log tells
        that you did.
      </p>
      <ul className="mt-1 flex flex-wrap items-center gap-x-4 gap-y-1">
        {keys.map((key) => (
          <li key={key} className="flex items-center gap-2">
            <span className="font-mono">{cleanText(key, 253)}</span>
            <Button
              look="link"
              off={off}
              aria-label={`${shown?.key === key ? "Hide" : "Show"} ${cleanText(key, 253)}`}
              disabled={reading.isPending}
              onClick={() => (shown?.key === key ? setShown(undefined) : reading.mutate(key))}
            >
              {shown?.key === key ? "Hide" : "Show"}
            </Button>
          </li>
        ))}
        {keys.length === 0 && (
          <li className="text-muted">
            {naming.isSuccess ? "It has no keys." : "Nothing that is known of it names its keys."}{" "}
            {!naming.isSuccess && (
              <Button look="link" off={off} disabled={naming.isPending} onClick={() => naming.mutate()}>
                Ask the cluster for them
              </Button>
            )}
          </li>
        )}
      </ul>
      {shown !== undefined && (
        <div className="mt-2 flex items-start gap-2">
          <pre className="max-h-40 min-w-0 overflow-auto rounded-sm bg-bg p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
            {shown.text
              .split("\n")
              .map((line) => cleanText(line))
              .join("\n")}
          </pre>
          <CopyButton text={shown.text} what={shown.key} />
        </div>
      )}
      {failure !== undefined && <Failed failure={failure} />}
    </section>
  );
}
