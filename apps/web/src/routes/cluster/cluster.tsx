import { Cluster, type EventRecord } from "@bowline/api";
import { Link, useParams } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState, type ListStateProps } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { ScrollArea } from "../../ui/scroll-area.tsx";
import { Section } from "../../ui/section.tsx";
import { Empty } from "../../ui/states.tsx";
import { ConditionList } from "../condition-list.tsx";
import { labelText } from "../clusters/cluster-columns.tsx";
import { clusterHealth } from "../clusters/cluster-health.ts";
import { HostsOfCluster } from "../domains/hosts-of-cluster.tsx";
import { ClusterMaking } from "../making/cluster-making.tsx";
import { isMade } from "../making/making.ts";
import { JoinLines, JoinRefusals, useJoinSteps } from "../join/join-lines.tsx";
import { ManagedByGit } from "../managed-by-git.tsx";
import { ClusterActions } from "./cluster-actions.tsx";
import { ClusterTunnel } from "./cluster-tunnel.tsx";
import { ClusterWarnings } from "./cluster-warnings.tsx";
import { ClusterCounts } from "./cluster-counts.tsx";
import { MyAccess } from "./my-access.tsx";

const dayMs = 86_400_000;

/** One cluster: whether it does well, how its tunnel does, what is in it, and what one may do there. */
export function ClusterPage(): ReactNode {
  const { cluster: name } = useParams({ from: "/_in/c/$cluster" });
  const list = useObjects(Cluster);
  const { items, phase } = list;
  const cluster = [...items.values()].find(({ metadata }) => metadata.name === name);
  const title = cleanText(name, 63);
  if (cluster === undefined) {
    return (
      <>
        <PageHead title={title} />
        <ListState list={list} what={`the cluster ${title}`} />
        {phase === "live" && (
          <Empty>
            There is no cluster {title}. <Link to="/clusters">All clusters</Link>
          </Empty>
        )}
      </>
    );
  }
  return <KnownCluster cluster={cluster} list={list} />;
}

interface KnownClusterProps {
  readonly cluster: Cluster;
  readonly list: ListStateProps["list"];
}

function KnownCluster({ cluster, list }: KnownClusterProps): ReactNode {
  const { metadata, status, spec } = cluster;
  const { name } = metadata;
  const { health, reason } = clusterHealth(cluster);
  const { steps, events } = useJoinSteps(name);
  // A path of another screen, whose names no parameter of this one could be confused with.
  const kinds: string = `/c/${encodeURIComponent(name)}/k`;
  return (
    <>
      <PageHead title={cleanText(name, 63)}>
        <HealthMark health={health} />
        <Link to={kinds}>What is in it</Link>
        <Link to="/c/$cluster/metrics" params={{ cluster: name }}>
          Metrics
        </Link>
        <Link to="/monitoring" search={{ cluster: name }}>
          Monitoring
        </Link>
        <Link to="/audit" search={{ cluster: name }}>
          Audit
        </Link>
        <span className="ml-auto">
          <ClusterActions cluster={cluster} />
        </span>
      </PageHead>
      <ListState list={list} />
      <ScrollArea label="The cluster" className="grid content-start gap-6 p-4 xl:grid-cols-2">
        {reason !== "" && (
          <p role="status" className="xl:col-span-2">
            {cleanText(reason, 1_000)}
          </p>
        )}
        <div className="empty:hidden xl:col-span-2">
          <ManagedByGit object={cluster} />
        </div>
        {isMade(cluster) && <ClusterMaking cluster={cluster} />}
        {status.agent === undefined && !isMade(cluster) && <OnItsWay {...{ name, steps, events }} />}
        <Section title="State">
          <ConditionList
            conditions={status.conditions}
            meanings={Cluster.conditions}
            isUnderWay={health === "Progressing"}
          />
        </Section>
        <Section title="Tunnel">
          <ClusterTunnel cluster={cluster} />
        </Section>
        <Section title="Nodes and pods">
          <ClusterCounts cluster={cluster} />
        </Section>
        <HostsOfCluster cluster={name} />
        <Section title="What you may do here">
          <MyAccess cluster={name} />
        </Section>
        <Section title="About">
          <dl className="grid grid-cols-[10rem_minmax(0,1fr)] gap-y-1">
            <Fact name="Kubernetes" value={status.kubernetesVersion} />
            <Fact name="Agent" value={status.agent?.version} />
            <Fact name="Region" value={spec.region} />
            <Fact name="Labels" value={labelText(metadata.labels)} />
            <Fact name="Cluster UID" value={status.clusterUid} />
            <Fact name="Provider" value={spec.provider} />
          </dl>
        </Section>
        <Section title="Warnings">
          <ClusterWarnings cluster={name} />
        </Section>
      </ScrollArea>
    </>
  );
}

function Fact({ name, value }: { name: string; value: string | undefined }): ReactNode {
  return (
    <>
      <dt className="text-muted">{name}</dt>
      <dd className="break-all">{value === undefined || value === "" ? "–" : cleanText(value, 500)}</dd>
    </>
  );
}

interface OnItsWayProps {
  readonly name: string;
  readonly steps: Parameters<typeof JoinLines>[0]["steps"];
  readonly events: ReadonlyMap<string, EventRecord>;
}

/** The same lines as in the dialog, for who has closed it. */
function OnItsWay({ name, steps, events }: OnItsWayProps): ReactNode {
  const [sinceMs] = useState(() => Date.now() - dayMs);
  return (
    <Section
      title="On its way"
      aside={
        <Link to="/clusters/add" search={{ name }}>
          How to run its agent
        </Link>
      }
    >
      <JoinLines steps={steps} />
      <JoinRefusals events={[...events.values()]} sinceMs={sinceMs} />
    </Section>
  );
}
