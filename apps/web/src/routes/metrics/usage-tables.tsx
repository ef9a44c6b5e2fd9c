import { useQuery } from "@tanstack/react-query";
import { useState, type ReactNode } from "react";

import { clusterPath } from "../../kube/places.ts";
import {
  formatCores,
  formatShare,
  readNodeUsage,
  readPodUsage,
  usagePath,
  type Usage,
} from "../../kube/usage.ts";
import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { byteSize } from "../../text/byte-size.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { findKind, useApis } from "../cluster-apis.ts";
import { ObjectLink } from "../object-link.tsx";

const againMs = 15_000;

const served = { group: "metrics.k8s.io", version: "v1beta1", resource: "pods" };

/** CPU and memory from `metrics.k8s.io`, where the cluster serves it. */
export function UsageTables({ cluster }: { cluster: string }): ReactNode {
  const apis = useApis(cluster);
  const failure = failureIn(apis.error);
  if (failure !== undefined) return <Failed failure={failure} onRetry={() => void apis.refetch()} />;
  if (apis.data === undefined) return <Loading what={`the kinds of ${cluster}`} />;
  const isThere = findKind(apis.data, served) !== undefined;
  return isThere ? <Tables cluster={cluster} /> : <NotServed />;
}

function Tables({ cluster }: { cluster: string }): ReactNode {
  const nodes = useQuery({
    queryKey: ["usage", cluster, "nodes"],
    queryFn: async ({ signal }) => {
      const metrics = await request<unknown>(usagePath(cluster, "nodes"), { signal });
      // Who may read usage and not nodes still sees the numbers, without their share.
      const path = clusterPath(cluster, "/api/v1/nodes?limit=500");
      return readNodeUsage(metrics, await request<unknown>(path, { signal }).catch(() => ({})));
    },
    refetchInterval: againMs,
  });
  const pods = useQuery({
    queryKey: ["usage", cluster, "pods"],
    queryFn: async ({ signal }) =>
      readPodUsage(await request<unknown>(usagePath(cluster, "pods"), { signal })),
    refetchInterval: againMs,
  });
  return (
    <>
      {[
        { title: "Nodes", resource: "nodes" as const, query: nodes },
        { title: "Pods", resource: "pods" as const, query: pods },
      ].map(({ title, resource, query }) => {
        const failure = failureIn(query.error);
        return (
          <section key={title} aria-label={`Usage of ${resource}`}>
            <h2 className="mb-1 text-lg">{title}</h2>
            {failure !== undefined && <Failed failure={failure} onRetry={() => void query.refetch()} />}
            {query.isPending && <Loading what={`the usage of ${resource}`} />}
            {query.data !== undefined && (
              <UsageTable usages={query.data} cluster={cluster} kind={title.slice(0, -1)} />
            )}
          </section>
        );
      })}
    </>
  );
}

function NotServed(): ReactNode {
  return (
    <section aria-label="Usage">
      <h2 className="mb-1 text-lg">Usage</h2>
      <Empty>
        The cluster does not serve <code>metrics.k8s.io</code>, as metrics-server would. CPU and memory of its
        nodes and pods would be here.
      </Empty>
    </section>
  );
}

type Order = "cpuCores" | "memoryBytes";
const shownAtFirst = 50;

interface UsageTableProps {
  readonly usages: readonly Usage[];
  readonly cluster: string;
  readonly kind: string;
}

function UsageTable({ usages, cluster, kind }: UsageTableProps): ReactNode {
  const [order, setOrder] = useState<Order>("cpuCores");
  const [isWhole, setWhole] = useState(false);
  const sorted = usages.toSorted((a, b) => (b[order] ?? -1) - (a[order] ?? -1));
  const shown = isWhole ? sorted.slice(0, 1_000) : sorted.slice(0, shownAtFirst);
  const isNode = kind === "Node";
  if (usages.length === 0) return <p className="text-muted">Nothing is measured yet.</p>;
  return (
    <>
      <div className="overflow-x-auto">
        <table className="w-full text-left">
          <thead>
            <tr className="text-xs text-muted">
              <th className="py-1 pr-3 font-semibold">{kind}</th>
              <OrderHead name="CPU" order="cpuCores" current={order} onOrder={setOrder} />
              {isNode && <th className="py-1 pr-3 text-right font-semibold">of the node</th>}
              <OrderHead name="Memory" order="memoryBytes" current={order} onOrder={setOrder} />
              {isNode && <th className="py-1 pr-3 text-right font-semibold">of the node</th>}
            </tr>
          </thead>
          <tbody>
            {shown.map((usage) => (
              <tr key={usage.key} className="border-t border-border">
                <td className="py-1 pr-3 font-mono">
                  <ObjectLink
                    object={{
                      cluster,
                      group: "",
                      version: "v1",
                      kind,
                      namespace: usage.namespace,
                      name: usage.name,
                    }}
                  >
                    {cleanText(usage.namespace === "" ? usage.name : `${usage.namespace}/${usage.name}`, 300)}
                  </ObjectLink>
                </td>
                <td className="py-1 pr-3 text-right">{formatCores(usage.cpuCores)}</td>
                {isNode && (
                  <td className="py-1 pr-3 text-right">{formatShare(usage.cpuCores, usage.cpuCapacity)}</td>
                )}
                <td className="py-1 pr-3 text-right">
                  {usage.memoryBytes === undefined ? "–" : byteSize(usage.memoryBytes)}
                </td>
                {isNode && (
                  <td className="py-1 pr-3 text-right">
                    {formatShare(usage.memoryBytes, usage.memoryCapacity)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {sorted.length > shown.length && (
        <p className="text-muted">
          {sorted.length - shown.length} more.{" "}
          {!isWhole && (
            <Button look="link" onClick={() => setWhole(true)}>
              Show them
            </Button>
          )}
        </p>
      )}
    </>
  );
}

interface OrderHeadProps {
  readonly name: string;
  readonly order: Order;
  readonly current: Order;
  readonly onOrder: (order: Order) => void;
}

function OrderHead({ name, order, current, onOrder }: OrderHeadProps): ReactNode {
  return (
    <th className="py-1 pr-3 text-right font-semibold" aria-sort={order === current ? "descending" : "none"}>
      <button type="button" className="font-semibold" onClick={() => onOrder(order)}>
        {name} {order === current ? "↓" : ""}
      </button>
    </th>
  );
}
