import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";

import {
  metricsAgents,
  metricsInstances,
  monitoringPath,
  monitorKinds,
  readMonitoring,
  type MonitoringKind,
  type MonitoringList,
} from "../../kube/monitoring.ts";
import { failureIn } from "../../live/answers.ts";
import { request } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Failed, Loading } from "../../ui/states.tsx";
import { findKind, useApis } from "../cluster-apis.ts";
import { ClusterChoice, useCluster } from "../cluster-choice.tsx";
import { HolderCard } from "./holder-card.tsx";
import { MonitorTable } from "./monitor-table.tsx";

const kinds: readonly MonitoringKind[] = [metricsAgents, metricsInstances, ...monitorKinds];
const againMs = 15_000;

/** What is collected in a cluster, what each monitor became, and why not. */
export function Monitoring(): ReactNode {
  const { cluster: named } = useSearch({ from: "/_in/monitoring" });
  const navigate = useNavigate();
  const { name, names } = useCluster(named);
  return (
    <>
      <PageHead title="Monitoring">
        <ClusterChoice
          value={name}
          names={names}
          onChange={(cluster) => void navigate({ to: "/monitoring", search: { cluster }, replace: true })}
        />
        {name !== undefined && (
          <Link to="/c/$cluster/metrics" params={{ cluster: name }}>
            CPU, memory and charts
          </Link>
        )}
      </PageHead>
      <div className="min-h-0 flex-1 overflow-auto p-4">
        {name === undefined ? (
          <Empty>There is no cluster yet whose monitoring could be shown.</Empty>
        ) : (
          <OfCluster key={name} cluster={name} />
        )}
      </div>
    </>
  );
}

function OfCluster({ cluster }: { cluster: string }): ReactNode {
  const apis = useApis(cluster);
  const failure = failureIn(apis.error);
  if (failure !== undefined && apis.data === undefined) {
    return <Failed failure={failure} onRetry={() => void apis.refetch()} />;
  }
  if (apis.data === undefined) return <Loading what={`the kinds of ${cluster}`} />;
  const { data } = apis;
  const served = kinds.filter((kind) => findKind(data, kind) !== undefined);
  return served.length === 0 ? (
    <NotInstalled cluster={cluster} />
  ) : (
    <Lists cluster={cluster} served={served} />
  );
}

function Lists({ cluster, served }: { cluster: string; served: readonly MonitoringKind[] }): ReactNode {
  const results = useQueries({
    queries: kinds.map((kind) => ({
      queryKey: ["monitoring", cluster, kind.resource],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        readMonitoring(kind, await request<unknown>(monitoringPath(cluster, kind), { signal })),
      refetchInterval: againMs,
      enabled: served.includes(kind),
    })),
  });
  const [agents, instances, ...monitors] = results;
  if (agents === undefined || instances === undefined) return null;
  if (results.every(({ data, error }) => data === undefined && error === null)) {
    return <Loading what={`the monitoring of ${cluster}`} />;
  }
  const holders = [...(agents.data?.objects ?? []), ...(instances.data?.objects ?? [])];
  const all = monitors.flatMap(({ data }) => data?.objects ?? []);
  return (
    <div className="space-y-6">
      <KindSection
        title="Agents"
        kind={metricsAgents}
        result={agents}
        isServed={served.includes(metricsAgents)}
      >
        {agents.data?.objects.map((agent) => (
          <HolderCard key={`${agent.namespace}/${agent.name}`} holder={agent} cluster={cluster} />
        ))}
      </KindSection>
      <KindSection
        title="Instances"
        kind={metricsInstances}
        result={instances}
        isServed={served.includes(metricsInstances)}
      >
        {instances.data?.objects.map((instance) => (
          <HolderCard key={`${instance.namespace}/${instance.name}`} holder={instance} cluster={cluster} />
        ))}
      </KindSection>
      <section aria-label="Monitors">
        <h2 className="mb-1 text-lg">Monitors</h2>
        <MonitorNotes results={monitors} served={served} />
        {all.length === 0 ? (
          <Empty>No ServiceMonitor, PodMonitor, Probe or ScrapeConfig says what is scraped here.</Empty>
        ) : (
          <MonitorTable monitors={all} holders={holders} cluster={cluster} />
        )}
      </section>
    </div>
  );
}

type ListResult = UseQueryResult<MonitoringList>;

function NotInstalled({ cluster }: { cluster: string }): ReactNode {
  return (
    <Empty>
      <p>
        {cleanText(cluster)} has none of the kinds of monitoring. Here would be its MetricsAgents and
        MetricsInstances, what each ServiceMonitor, PodMonitor, Probe and ScrapeConfig became, how many
        targets it finds, and why not.
      </p>
      <p className="mt-2">
        <code>kubectl apply -f deploy/crds</code> installs the kinds; <code>bowline operator</code> runs the
        collectors.
      </p>
    </Empty>
  );
}

interface KindSectionProps {
  readonly title: string;
  readonly kind: MonitoringKind;
  readonly result: ListResult;
  readonly isServed: boolean;
  readonly children: ReactNode;
}

function KindSection({ title, kind, result, isServed, children }: KindSectionProps): ReactNode {
  const failure = failureIn(result.error);
  return (
    <section aria-label={title} className="space-y-2">
      <h2 className="text-lg">{title}</h2>
      {!isServed && <p className="text-muted">The cluster has no kind {kind.kind}.</p>}
      {failure !== undefined && <Failed failure={failure} onRetry={() => void result.refetch()} />}
      {result.data?.objects.length === 0 && <p className="text-muted">There is no {kind.kind}.</p>}
      {result.data?.isCut === true && <p className="text-muted">Only the first 500 are shown.</p>}
      {children}
    </section>
  );
}

interface MonitorNotesProps {
  readonly results: readonly ListResult[];
  readonly served: readonly MonitoringKind[];
}

function MonitorNotes({ results, served }: MonitorNotesProps): ReactNode {
  return monitorKinds.map((kind, index) => {
    const failure = failureIn(results[index]?.error);
    const note = served.includes(kind) ? failure?.message : "the cluster does not have this kind";
    if (note === undefined) return null;
    return (
      <p key={kind.kind} className="text-muted">
        {kind.kind}: {cleanText(note, 300)}
      </p>
    );
  });
}
