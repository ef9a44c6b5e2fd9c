import { Cluster } from "@bowline/api";
import { labelRequirementsOf, matchesLabels } from "@bowline/core";
import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState, type FormEvent, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useObjects } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { LabelledField } from "../../ui/labelled-field.tsx";
import { Failed } from "../../ui/states.tsx";
import { Checked, checkClusters, type CheckResults } from "./check-clusters.tsx";
import { formProblem, workloadBodies, type WorkloadBodies, type WorkloadForm } from "./workload-bodies.ts";

const emptyForm: WorkloadForm = {
  name: "",
  namespace: "default",
  placement: "clusters",
  clusters: [],
  selector: "",
  manifests: "",
};

/** Manifests to clusters: checked by the server and by the clusters before anything is written. */
export function NewWorkload({ onClose }: { onClose: () => void }): ReactNode {
  const [form, setForm] = useState(emptyForm);
  const [problem, setProblem] = useState<string>();
  const navigate = useNavigate();
  const { items } = useObjects(Cluster);
  const clusters = [...items.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const check = useMutation({ mutationFn: (bodies: WorkloadBodies) => checkBodies(bodies, clusters) });
  const write = useMutation({
    mutationFn: (bodies: WorkloadBodies) => writeBodies(bodies),
    onSuccess: (_, { instance }) =>
      void navigate({ to: "/workloads/$name", params: { name: instance.metadata.name } }),
  });
  const change = (changed: Partial<WorkloadForm>): void => {
    setForm((before) => ({ ...before, ...changed }));
    setProblem(undefined);
    check.reset();
    write.reset();
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const found = formProblem(form);
    setProblem(found);
    if (found === undefined) (check.isSuccess ? write : check).mutate(workloadBodies(form));
  };
  const failure = failureIn(write.error) ?? failureIn(check.error);
  return (
    <Dialog title="Deploy manifests" onClose={onClose}>
      <form className="space-y-3" onSubmit={submit}>
        <div className="grid gap-3 sm:grid-cols-2">
          <LabelledField label="Name" value={form.name} onChange={(name) => change({ name })} />
          <LabelledField
            label="Namespace"
            value={form.namespace}
            onChange={(namespace) => change({ namespace })}
          />
        </div>
        <PlacementFields form={form} clusters={clusters} onChange={change} />
        <LabelledField
          label="Manifests"
          hint="YAML or JSON, several separated by ---"
          value={form.manifests}
          rows={12}
          onChange={(manifests) => change({ manifests })}
        />
        {problem !== undefined && (
          <p role="alert" className="text-degraded">
            {cleanText(problem)}
          </p>
        )}
        {failure !== undefined && <Failed failure={failure} />}
        {check.data !== undefined && <Checked results={check.data} />}
        <div className="flex gap-2">
          <Button submits look="main" disabled={check.isPending || write.isPending}>
            {check.isSuccess ? "Deploy" : check.isPending ? "Checking…" : "Check"}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
        </div>
      </form>
    </Dialog>
  );
}

interface PlacementFieldsProps {
  readonly form: WorkloadForm;
  readonly clusters: readonly Cluster[];
  readonly onChange: (changed: Partial<WorkloadForm>) => void;
}

function PlacementFields({ form, clusters, onChange }: PlacementFieldsProps): ReactNode {
  return (
    <fieldset>
      <legend className="mb-1 font-semibold">Where</legend>
      <div className="flex gap-4">
        {(["clusters", "selector"] as const).map((placement) => (
          <label key={placement} className="flex items-center gap-1">
            <input
              type="radio"
              name="placement"
              checked={form.placement === placement}
              onChange={() => onChange({ placement })}
            />
            {placement === "clusters" ? "Clusters by name" : "Clusters by label"}
          </label>
        ))}
      </div>
      {form.placement === "selector" ? (
        <div className="mt-2">
          <LabelledField
            label="Selector"
            hint="such as env=prod,region in (eu,us)"
            value={form.selector}
            onChange={(selector) => onChange({ selector })}
          />
        </div>
      ) : (
        <div className="mt-2 flex max-h-32 flex-wrap gap-x-4 gap-y-1 overflow-auto">
          {clusters.map(({ metadata: { id, name } }) => (
            <label key={id} className="flex items-center gap-1">
              <input
                type="checkbox"
                checked={form.clusters.includes(name)}
                onChange={({ target }) =>
                  onChange({
                    clusters: target.checked
                      ? [...form.clusters, name]
                      : form.clusters.filter((other) => other !== name),
                  })
                }
              />
              {cleanText(name)}
            </label>
          ))}
          {clusters.length === 0 && <span className="text-muted">There is no cluster yet.</span>}
        </div>
      )}
    </fieldset>
  );
}

async function checkBodies(
  { definition, instance }: WorkloadBodies,
  clusters: readonly Cluster[],
): Promise<CheckResults> {
  await request("/api/v1/workloaddefinitions?dryRun=true", { method: "POST", body: definition });
  await request("/api/v1/workloadinstances?dryRun=true", { method: "POST", body: instance });
  const { placement } = instance.spec;
  const selected =
    placement.clusters ??
    clusters
      .filter(({ metadata, spec }) =>
        placement.selector === undefined
          ? spec.default === true
          : matchesLabels(labelRequirementsOf(placement.selector), metadata.labels),
      )
      .map(({ metadata }) => metadata.name);
  const { name } = instance.metadata;
  return checkClusters(
    selected.map((cluster) => ({ instance: name, cluster })),
    { definition, instance },
  );
}

async function writeBodies({ definition, instance }: WorkloadBodies): Promise<void> {
  await request("/api/v1/workloaddefinitions", { method: "POST", body: definition });
  await request("/api/v1/workloadinstances", { method: "POST", body: instance });
}
