import type { TreeResource } from "@bowline/api";
import { useQueries } from "@tanstack/react-query";
import { useMemo, type ReactNode } from "react";

import type { LogTarget } from "../../kube/log-feed.ts";
import { addressParams } from "../../kube/object-address.ts";
import { readObject } from "../../kube/objects.ts";
import { objectPlace } from "../../kube/places.ts";
import { podSelector } from "../../kube/pod-selector.ts";
import { failureIn } from "../../live/answers.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { MergedLogView } from "../logs/log-view.tsx";
import { isPod, logOwners, treeNodes } from "./tree-nodes.ts";
import { useWorkloadTree } from "./workload-trees.tsx";

/** An object of a workload whose pods write logs. */
interface LogOwner {
  readonly cluster: string;
  readonly resource: TreeResource;
}

/** The logs of all pods of a workload in all its clusters, merged by time. Pods that come later join by themselves. */
export function WorkloadLogs({ name }: { name: string }): ReactNode {
  const { data, error, refetch } = useWorkloadTree(name);
  const owners = (data?.clusters ?? []).flatMap((tree) =>
    logOwners(treeNodes(tree, [])).map((resource): LogOwner => ({ cluster: tree.cluster, resource })),
  );
  const answers = useQueries({
    queries: owners.map((owner) => ({
      queryKey: ["log target", owner.cluster, owner.resource.uid ?? owner.resource.name],
      queryFn: ({ signal }: { signal: AbortSignal }) => targetOf(owner, signal),
      staleTime: Infinity,
    })),
  });
  const known = JSON.stringify(answers.flatMap(({ data: target }) => target ?? []));
  const targets = useMemo((): LogTarget[] => JSON.parse(known), [known]);
  const failure = failureIn(error);
  if (failure !== undefined && data === undefined) {
    return <Failed failure={failure} onRetry={() => void refetch()} />;
  }
  if (data === undefined || answers.some(({ isPending }) => isPending)) return <Loading what="its pods" />;
  return (
    <div className="flex h-full min-h-0 flex-col">
      {answers.map(({ error: refused }, index) => {
        const why = failureIn(refused);
        const owner = owners[index];
        return why === undefined || owner === undefined ? null : (
          <p key={owner.resource.uid ?? index} role="alert" className="px-4 py-1 text-degraded">
            {cleanText(`${owner.cluster}: ${why.message}`, 300)}
          </p>
        );
      })}
      {targets.length === 0 ? <Empty>It has no pods.</Empty> : <MergedLogView targets={targets} />}
    </div>
  );
}

/** Null for what is gone, or does not say which pods are its own. */
async function targetOf({ cluster, resource }: LogOwner, signal: AbortSignal): Promise<LogTarget | null> {
  const { namespace = "", name } = resource;
  if (isPod(resource)) return { cluster, namespace, pod: name };
  const object = await readObject(objectPlace(addressParams({ cluster, ...resource })), signal);
  const labelSelector = object === undefined ? undefined : podSelector(object);
  return labelSelector === undefined ? null : { cluster, namespace, labelSelector };
}
