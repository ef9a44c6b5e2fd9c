import type { ClusterEvent } from "../records/cluster-events.ts";
import type { ReportedItem, ReportedResource } from "../reports/report.ts";

/** A Deployment of the workload `web`, as an agent reports it. */
export function resource(uid: string, more: Partial<ReportedResource> = {}): ReportedResource {
  return {
    uid,
    group: "apps",
    version: "v1",
    kind: "Deployment",
    namespace: "shop",
    name: `name-of-${uid}`,
    workload: "web",
    resourceVersion: "1",
    facts: '{"facts":1}',
    observedAtMs: 1_000,
    ...more,
  };
}

export function clusterEvent(
  uid: string,
  clusterId: string,
  more: Partial<ClusterEvent> & { readonly name?: string } = {},
): ClusterEvent {
  const { name = "web-1", ...rest } = more;
  return {
    uid,
    clusterId,
    type: "Warning",
    reason: "BackOff",
    message: "Back-off restarting failed container.",
    regarding: { kind: "Pod", name, namespace: "shop", cluster: "east" },
    instance: "web",
    count: 1,
    firstSeenAtMs: 1_000,
    lastSeenAtMs: 1_000,
    ...rest,
  };
}

export type Part = ReportedResource | ClusterEvent | { readonly gone: string };

/** Items as a batch has them. */
export function items(...parts: readonly Part[]): ReportedItem[] {
  return parts.map((part, index): ReportedItem => {
    if ("gone" in part) return { index, type: "gone", uid: part.gone };
    return "facts" in part
      ? { index, type: "object", resource: part }
      : { index, type: "event", event: part };
  });
}
