import { Cluster, type ClusterPlan } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { lazyRouteComponent, useNavigate } from "@tanstack/react-router";
import { Suspense, useState, type FormEvent, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useObjects } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { ClusterFields } from "./cluster-fields.tsx";
import { clusterBody, emptyForm, type ClusterForm } from "./cluster-form.ts";
import { CreateButtons, stepOf } from "./create-buttons.tsx";
import { useCreateOff } from "./create-off.ts";
import { formProblems, type FieldPaths } from "../../ui/form-problems.ts";
import { useFirstProblem } from "../../ui/use-first-problem.ts";
import { PlanView } from "./plan-view.tsx";
import { useSeen } from "./use-seen.ts";

const ClusterYaml = lazyRouteComponent(() => import("./cluster-yaml.tsx"), "ClusterYaml");

/** A cluster is made: what it should be, then what that means and costs, and only then it is begun. */
export function CreateCluster({ onClose }: { onClose: () => void }): ReactNode {
  const [form, setForm] = useState(emptyForm);
  // Once somebody edits the text, that is what counts.
  const [written, setWritten] = useState<WrittenCluster>();
  const navigate = useNavigate();
  const off = useCreateOff();
  const clusters = [...useObjects(Cluster).items.values()].map(({ metadata }) => metadata.name).toSorted();
  const plan = useMutation({ mutationFn: planOf });
  const isSeen = useSeen(plan.data);
  const create = useMutation({
    mutationFn: (body: object) => request<Cluster>("/api/v1/clusters", { method: "POST", body }),
  });
  // Only while the dialog is open: whoever has closed it and gone elsewhere is not taken away from there.
  const open = async ({ metadata: { name } }: Cluster): Promise<void> => {
    // The way back leads to the list, and not into the dialog again.
    await navigate({ to: "/clusters", search: (before) => ({ ...before, new: false }), replace: true });
    await navigate({ to: "/c/$cluster", params: { cluster: name } });
  };
  const forget = (): void => {
    plan.reset();
    create.reset();
  };
  const body = written === undefined ? clusterBody(form) : written.body;
  const isOff = plan.isPending || create.isPending || (plan.isSuccess && !isSeen) || body === undefined;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (off !== undefined || isOff) return;
    if (plan.isSuccess) create.mutate(body, { onSuccess: (cluster) => void open(cluster) });
    else plan.mutate(body);
  };
  const refusal = create.error ?? plan.error;
  const fields = useFirstProblem(refusal);
  const { at, failure } = formProblems(failureIn(refusal), written === undefined ? fieldPaths : []);
  return (
    <Dialog title="Create a cluster" onClose={onClose}>
      <form ref={fields} className="space-y-3" onSubmit={submit}>
        {off !== undefined && <p role="note">{off}</p>}
        {/* What is being created is what the plan was about. */}
        <div inert={create.isPending} className="space-y-3 inert:opacity-60">
          {written === undefined ? (
            <ClusterFields
              form={form}
              problems={at}
              clusters={clusters}
              onChange={(changed) => {
                setForm((before) => ({ ...before, ...changed }));
                forget();
              }}
            />
          ) : (
            <Suspense fallback={<Loading what="the editor" />}>
              <ClusterYaml
                start={written.start}
                onChange={(typed) => {
                  setWritten((before) => (before === undefined ? before : { ...before, body: typed }));
                  forget();
                }}
              />
            </Suspense>
          )}
        </div>
        {at.size > 0 && (
          <p role="alert" className="text-degraded">
            {at.size === 1 ? "A field is not right yet." : `${at.size} fields are not right yet.`}
          </p>
        )}
        {failure !== undefined && <Failed failure={failure} />}
        {plan.data !== undefined && <PlanView plan={plan.data} />}
        {written !== undefined && (
          <p className="text-xs text-muted">What was changed in the text does not go back into the fields.</p>
        )}
        <CreateButtons
          step={stepOf({ isAsking: plan.isPending, isPlanned: plan.isSuccess, isCreating: create.isPending })}
          off={off}
          disabled={isOff}
          isText={written !== undefined}
          onText={() => {
            setWritten(written === undefined ? { start: body, body } : undefined);
            forget();
          }}
          onClose={onClose}
        />
      </form>
    </Dialog>
  );
}

interface WrittenCluster {
  /** What the text began with. */
  readonly start: object | undefined;
  /** What it says now; undefined while it cannot be read. */
  readonly body: object | undefined;
}

/** The server looks at it as if it were created, which finds names that are taken, and then asks the provider. */
async function planOf(body: object): Promise<ClusterPlan> {
  await request("/api/v1/clusters?dryRun=true", { method: "POST", body });
  return request<ClusterPlan>("/api/v1/plan-cluster", { method: "POST", body });
}

const fieldPaths: FieldPaths<keyof ClusterForm> = [
  ["metadata.name", "name"],
  ["spec.provider", "provider"],
  ["spec.region", "region"],
  ["spec.exec.command", "program"],
  ["spec.exec.args", "args"],
  ["spec.kind.kubernetesVersion", "kubernetesVersion"],
  ["spec.kind.nodes", "nodes"],
  ["spec.clusterapi.managementCluster", "managementCluster"],
  ["spec.clusterapi.topology.class", "clusterClass"],
  ["spec.clusterapi.topology.kubernetesVersion", "kubernetesVersion"],
  ["spec.clusterapi.topology.controlPlaneReplicas", "nodes"],
  ["spec.clusterapi.template.definition", "template"],
  ["spec.eks.kubernetesVersion", "kubernetesVersion"],
  ["spec.eks.credential", "credential"],
  ["spec.eks.nodeGroups", "nodes"],
  ["spec.eks.nodeGroups[0].instanceType", "nodeType"],
  ["spec.maxNodes", "maxNodes"],
  ["spec.expiresAt", "endsAt"],
  ["spec.autoDelete", "autoDelete"],
];
