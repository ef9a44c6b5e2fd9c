import type { WorkloadDefinition, WorkloadInstance } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { useState, type FormEvent, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { Button } from "../../ui/button.tsx";
import { LabelledField } from "../../ui/labelled-field.tsx";
import { Failed } from "../../ui/states.tsx";
import { Checked, checkClusters, type CheckResults } from "../workloads/check-clusters.tsx";

interface EditManifestsProps {
  readonly definition: WorkloadDefinition;
  readonly instances: readonly WorkloadInstance[];
  readonly onDone: () => void;
}

/** Other manifests for a definition: tried in the clusters of those who use it before they are written. */
export function EditManifests({ definition, instances, onDone }: EditManifestsProps): ReactNode {
  // As it was when somebody began: what others write meanwhile is not written over.
  const [shown] = useState(definition);
  const [manifests, setManifests] = useState(shown.spec.source.inline?.manifests ?? "");
  const check = useMutation({ mutationFn: () => checkManifests(shown, manifests, instances) });
  const write = useMutation({
    mutationFn: () => writeManifests(shown, manifests, { isDryRun: false }),
    onSuccess: onDone,
  });
  const failure = failureIn(write.error) ?? failureIn(check.error);
  const change = (text: string): void => {
    setManifests(text);
    check.reset();
    write.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    (check.isSuccess ? write : check).mutate();
  };
  return (
    <form className="space-y-3" onSubmit={submit}>
      <LabelledField label="Manifests" value={manifests} rows={18} onChange={change} />
      {failure !== undefined && <Failed failure={failure} />}
      {check.data !== undefined && <Checked results={check.data} />}
      <div className="flex gap-2">
        <Button submits look="main" disabled={check.isPending || write.isPending}>
          {check.isSuccess ? "Write it" : check.isPending ? "Checking…" : "Check"}
        </Button>
        <Button onClick={onDone}>Cancel</Button>
      </div>
    </form>
  );
}

async function checkManifests(
  definition: WorkloadDefinition,
  manifests: string,
  instances: readonly WorkloadInstance[],
): Promise<CheckResults> {
  await writeManifests(definition, manifests, { isDryRun: true });
  const { metadata, spec } = definition;
  const places = instances.flatMap(({ metadata: { name }, status }) =>
    status.clusters.map(({ cluster }) => ({ instance: name, cluster })),
  );
  return checkClusters(places, {
    definition: { metadata: { name: metadata.name }, spec: { ...spec, source: { inline: { manifests } } } },
  });
}

async function writeManifests(
  { metadata }: WorkloadDefinition,
  manifests: string,
  { isDryRun }: { readonly isDryRun: boolean },
): Promise<void> {
  const path = `/api/v1/workloaddefinitions/${encodeURIComponent(metadata.name)}`;
  await request(isDryRun ? `${path}?dryRun=true` : path, {
    method: "PATCH",
    body: { spec: { source: { inline: { manifests } } } },
    headers: {
      "content-type": "application/merge-patch+json",
      "if-match": `"${metadata.resourceVersion}"`,
    },
  });
}
