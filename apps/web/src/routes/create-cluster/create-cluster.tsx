import { Cluster, type ClusterPlan } from "@bowline/api";
import { useMutation } from "@tanstack/react-query";
import { lazyRouteComponent, useNavigate } from "@tanstack/react-router";
import { Suspense, useState, type FormEvent, type ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { useObjects } from "../../live/live-context.tsx";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Failed, Loading } from "../../ui/states.tsx";
import { ClusterFields } from "./cluster-fields.tsx";
import { clusterBody, emptyForm, type ClusterForm } from "./cluster-form.ts";
import { useCreateOff } from "./create-off.ts";
import { formProblems, type FieldPaths } from "../../ui/form-problems.ts";
import { PlanView } from "./plan-view.tsx";

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
  const create = useMutation({
    mutationFn: (body: object) => request<Cluster>("/api/v1/clusters", { method: "POST", body }),
    onSuccess: ({ metadata: { name } }) => void navigate({ to: "/c/$cluster", params: { cluster: name } }),
  });
  const forget = (): void => {
    plan.reset();
    create.reset();
  };
  const body = written === undefined ? clusterBody(form) : written.body;
  const isBusy = plan.isPending || create.isPending;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (off === undefined && body !== undefined && !isBusy) (plan.isSuccess ? create : plan).mutate(body);
  };
  const refused = failureIn(create.error) ?? failureIn(plan.error);
  const { at, failure } = formProblems(refused, written === undefined ? fieldPaths : []);
  return (
    <Dialog title="Create a cluster" onClose={onClose}>
      <form className="space-y-3" onSubmit={submit}>
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
        {at.size > 0 && (
          <p role="alert" className="text-degraded">
            {at.size === 1 ? "A field is not right yet." : `${at.size} fields are not right yet.`}
          </p>
        )}
        {failure !== undefined && <Failed failure={failure} />}
        {plan.data !== undefined && <PlanView plan={plan.data} />}
        <div className="sticky bottom-0 flex flex-wrap items-center gap-2 bg-raised py-2">
          <Button submits look="main" off={off} disabled={isBusy || body === undefined}>
            {plan.isSuccess ? "Create it" : plan.isPending ? "Asking…" : "Show what it takes"}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <span className="ml-auto">
            <Button
              look="link"
              onClick={() => {
                setWritten(written === undefined ? { start: body, body } : undefined);
                forget();
              }}
            >
              {written === undefined ? "Edit as YAML" : "Back to the fields"}
            </Button>
          </span>
        </div>
        {written !== undefined && (
          <p className="text-xs text-muted">What was changed in the text does not go back into the fields.</p>
        )}
        {create.isPending && (
          <p role="status" className="sr-only">
            Creating {cleanText(form.name, 63)}
          </p>
        )}
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
  ["metadata.labels", "labels"],
  ["spec.provider", "provider"],
  ["spec.region", "region"],
  ["spec.exec.command", "program"],
  ["spec.exec.args", "args"],
  ["spec.kind.kubernetesVersion", "kubernetesVersion"],
  ["spec.kind.nodes", "nodes"],
  ["spec.clusterapi.managementCluster", "managementCluster"],
  ["spec.clusterapi.topology.class", "clusterClass"],
  ["spec.clusterapi.topology.kubernetesVersion", "kubernetesVersion"],
  ["spec.clusterapi.template.definition", "template"],
  ["spec.eks.kubernetesVersion", "kubernetesVersion"],
  ["spec.eks.credential", "credential"],
  ["spec.eks.nodeGroups", "nodes"],
  ["spec.eks.nodeGroups[0].instanceType", "nodeType"],
  ["spec.maxNodes", "maxNodes"],
  ["spec.expiresAt", "endsAt"],
  ["spec.autoDelete", "autoDelete"],
];
