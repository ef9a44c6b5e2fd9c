import { WorkloadDefinition, WorkloadInstance, WorkloadPlacement } from "@bowline/api";
import { lazyRouteComponent, Link, useParams, useSearch } from "@tanstack/react-router";
import { Suspense, useState, type ReactNode } from "react";

import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { Button } from "../../ui/button.tsx";
import { HealthMark } from "../../ui/health-mark.tsx";
import { ListState } from "../../ui/list-state.tsx";
import { PageHead } from "../../ui/page-head.tsx";
import { Empty, Loading } from "../../ui/states.tsx";
import { TabLinks } from "../../ui/tab-links.tsx";
import { EventLines } from "../events/event-lines.tsx";
import { workloadHealth } from "../workloads/workload-health.ts";
import { GatewaysOfInstance } from "../gateways/gateways-of-instance.tsx";
import { ManagedByGit } from "../managed-by-git.tsx";
import { DeleteWorkload } from "./delete-workload.tsx";
import { HeldBack } from "./held-back.tsx";
import { InstanceActions } from "./instance-actions.tsx";
import { useInstanceOff } from "./instance-off.ts";
import { adviceFor } from "./reasons.ts";
import { RolloutProgress } from "./rollout-progress.tsx";
import { Settings } from "./settings.tsx";
import { WorkloadDiffs } from "./workload-diffs.tsx";
import { WorkloadTrees } from "./workload-trees.tsx";

const Revisions = lazyRouteComponent(() => import("./revisions.tsx"), "Revisions");
const WorkloadLogs = lazyRouteComponent(() => import("./workload-logs.tsx"), "WorkloadLogs");

/** One workload: what is wrong with it first, then everything else. */
export function Workload(): ReactNode {
  const { name } = useParams({ from: "/_in/workloads/$name" });
  const { tab = "" } = useSearch({ from: "/_in/workloads/$name" });
  const instances = useObjects(WorkloadInstance, `metadata.name=${name}`);
  const instance = [...instances.items.values()].at(0);
  const definition = instance?.spec.definition ?? name;
  const definitions = useObjects(WorkloadDefinition, `metadata.name=${definition}`);
  const placements = useObjects(WorkloadPlacement, `spec.instance=${name}`);
  const [isDeleting, setDeleting] = useState(false);
  const off = useInstanceOff();
  if (instance === undefined) {
    return (
      <>
        <PageHead title={cleanText(name, 80)} />
        <ListState list={instances} what="the workload" />
        {instances.phase === "live" && (
          <Empty>
            There is no workload of this name, or not any more. <Link to="/workloads">All workloads</Link>
          </Empty>
        )}
      </>
    );
  }
  const placed = [...placements.items.values()].toSorted((a, b) =>
    a.spec.cluster < b.spec.cluster ? -1 : 1,
  );
  const { health, reason, message } = workloadHealth(instance);
  return (
    <>
      <PageHead title={cleanText(name, 80)}>
        <HealthMark health={health} />
        <span className="ml-auto flex flex-wrap gap-2">
          <InstanceActions instance={instance} />
          <Button look="danger" off={off} onClick={() => setDeleting(true)}>
            Delete
          </Button>
        </span>
      </PageHead>
      <TabLinks
        label="Parts of the workload"
        current={tab}
        tabs={[
          { tab: "", name: "Resources" },
          { tab: "logs", name: "Logs" },
          { tab: "diff", name: "Diff" },
          { tab: "events", name: "Events" },
          { tab: "revisions", name: "Revisions" },
          { tab: "settings", name: "Settings" },
        ]}
      />
      <ListState list={instances} />
      <div className="min-h-0 flex-1 overflow-auto">
        <div className="p-4 pb-0 empty:hidden">
          <ManagedByGit object={instance} />
        </div>
        {health !== "Healthy" && <Why reason={reason} message={message} />}
        <GatewaysOfInstance instance={name} />
        <HeldBack
          instance={instance}
          definition={[...definitions.items.values()].at(0)}
          placements={placed}
        />
        <RolloutProgress instance={instance} />
        {tab === "" && <WorkloadTrees instance={instance} placements={placed} />}
        {tab === "logs" && (
          <Suspense fallback={<Loading what="the logs" />}>
            <WorkloadLogs name={name} />
          </Suspense>
        )}
        {tab === "diff" && <WorkloadDiffs instance={instance} />}
        {tab === "events" && (
          <div className="p-4">
            <EventLines filters={{ instance: name }} empty="Nothing has happened to it of late." />
          </div>
        )}
        {tab === "revisions" && (
          <Suspense fallback={<Loading what="the revisions" />}>
            <Revisions
              instance={instance}
              current={[...definitions.items.values()].at(0)?.status.revision?.id}
              placements={placed}
            />
          </Suspense>
        )}
        {tab === "settings" && (
          <Settings instance={instance} definition={[...definitions.items.values()].at(0)} />
        )}
      </div>
      {isDeleting && <DeleteWorkload instance={instance} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Why it is not Ready, in words, and what to do about it. */
function Why({ reason, message }: { reason: string; message: string }): ReactNode {
  const advice = adviceFor(reason);
  return (
    <section aria-label="Why it is not ready" className="border-b border-border bg-surface px-4 py-2">
      <p>
        {reason !== "" && <span className="mr-2 font-semibold">{cleanText(reason, 80)}</span>}
        <span className="wrap-anywhere">{cleanText(message)}</span>
      </p>
      {advice !== undefined && <p className="mt-1 text-muted">What to do: {advice}</p>}
    </section>
  );
}
