import type { DeletionPlan, WorkloadInstance } from "@bowline/api";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { ConfirmByName } from "../../ui/confirm-by-name.tsx";
import { Failed, Loading } from "../../ui/states.tsx";

interface DeleteWorkloadProps {
  readonly instance: WorkloadInstance;
  readonly onClose: () => void;
}

/** As many steps as are listed; nobody reads more before a deletion. */
const maxSteps = 200;

/** What would go, and the name typed before it does. */
export function DeleteWorkload({ instance, onClose }: DeleteWorkloadProps): ReactNode {
  const { name } = instance.metadata;
  const path = `/api/v1/workloadinstances/${encodeURIComponent(name)}?cascade=true`;
  const navigate = useNavigate();
  const plan = useQuery({
    queryKey: ["deletion", name],
    queryFn: ({ signal }) => request<DeletionPlan>(`${path}&dryRun=true`, { method: "DELETE", signal }),
    gcTime: 0,
    staleTime: 0,
  });
  const remove = useMutation({
    mutationFn: () => request(path, { method: "DELETE" }),
    onSuccess: () => void navigate({ to: "/workloads" }),
  });
  const failure = failureIn(plan.error) ?? failureIn(remove.error);
  return (
    <ConfirmByName
      title={`Delete ${cleanText(name, 80)}`}
      name={name}
      action="Delete the workload"
      isBusy={remove.isPending || plan.data === undefined}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      {plan.isPending && <Loading what="the preview" />}
      {failure !== undefined && <Failed failure={failure} />}
      {plan.data !== undefined && <Plan plan={plan.data} instance={instance} />}
    </ConfirmByName>
  );
}

function Plan({ plan, instance }: { plan: DeletionPlan; instance: WorkloadInstance }): ReactNode {
  const { clusters, clusterCount } = instance.status;
  const resources = clusters.reduce((sum, { resourceCount }) => sum + resourceCount, 0);
  const rest = plan.steps.length - maxSteps;
  return (
    <>
      <ul className="list-disc pl-5" aria-label="What would be done">
        {plan.steps.slice(0, maxSteps).map(({ action, kind, name }) => (
          <li key={`${kind}/${name}`}>
            {kind} <span className="font-mono">{cleanText(name, 253)}</span>{" "}
            {action === "delete" ? "would be deleted" : "would no longer name it"}
          </li>
        ))}
      </ul>
      {rest > 0 && <p className="text-muted">and {rest} more</p>}
      <p>
        {instance.spec.deletionPolicy === "retain"
          ? "Its resources stay in the clusters, and belong to nobody then."
          : `Its ${resources} resources in ${clusterCount} clusters are deleted with it.`}
      </p>
    </>
  );
}
