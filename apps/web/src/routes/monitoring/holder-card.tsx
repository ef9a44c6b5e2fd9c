import type { ReactNode } from "react";

import type { ConditionLine, MonitoringObject, MonitorProblem } from "../../kube/monitoring.ts";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark, type HealthName } from "../../ui/health-mark.tsx";
import { ObjectLink } from "../object-link.tsx";

/** An agent or an instance: how it does, what it selects, and what it leaves out. */
export function HolderCard({ holder, cluster }: { holder: MonitoringObject; cluster: string }): ReactNode {
  const { kind, namespace, name, conditions, rejected, withoutTargets, instances } = holder;
  const address = { ...kind, cluster, namespace, name };
  return (
    <article className="rounded-md border border-border" aria-label={`${kind.kind} ${namespace}/${name}`}>
      <header className="flex flex-wrap items-baseline gap-x-3 border-b border-border bg-surface px-3 py-1.5">
        <HealthMark health={healthOf(conditions)} />
        <ObjectLink object={address} className="font-mono font-semibold wrap-anywhere">
          {cleanText(`${namespace}/${name}`, 300)}
        </ObjectLink>
        <span className="text-muted">{countsOf(holder)}</span>
      </header>
      <div className="space-y-2 p-3">
        <Conditions conditions={conditions} />
        {instances.length > 0 && <p>Runs {cleanText(instances.join(", "), 500)}.</p>}
        <Problems title="Left out" problems={rejected} count={holder.rejectedCount} />
        <Problems title="Without targets" problems={withoutTargets} />
      </div>
    </article>
  );
}

function healthOf(conditions: readonly ConditionLine[]): HealthName {
  const ready = conditions.find(({ type }) => type === "Ready");
  if (ready === undefined) return "Unknown";
  return ready.status === "True" ? "Healthy" : ready.status === "False" ? "Degraded" : "Unknown";
}

function countsOf(holder: MonitoringObject): string {
  const { selected, scrapeJobs, expectedTargets, readyReplicas, replicas } = holder;
  return [
    selected === undefined ? "" : `${selected} monitors`,
    scrapeJobs === undefined ? "" : `${scrapeJobs} jobs`,
    expectedTargets === undefined ? "" : `${expectedTargets} targets`,
    replicas === undefined ? "" : `${readyReplicas ?? 0} of ${replicas} collectors ready`,
  ]
    .filter(Boolean)
    .join(", ");
}

function Conditions({ conditions }: { conditions: readonly ConditionLine[] }): ReactNode {
  if (conditions.length === 0) return <p className="text-muted">No operator has looked at it yet.</p>;
  return (
    <ul aria-label="Conditions">
      {conditions.map(({ type, status, reason, message }) => (
        <li key={type} className="wrap-anywhere">
          <span className={`font-semibold ${status === "False" ? "text-degraded" : ""}`}>
            {cleanText(type, 100)} {cleanText(status, 20)}
          </span>{" "}
          <span className="text-muted">
            {cleanText(reason, 100)}
            {message === "" ? "" : `: ${cleanText(message, 1_000)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly MonitorProblem[];
  /** How many there are, also those that are not listed. */
  readonly count?: number | undefined;
}

function Problems({ title, problems, count = problems.length }: ProblemsProps): ReactNode {
  if (problems.length === 0) return null;
  return (
    <div>
      <h3>
        {title} ({count})
      </h3>
      <ul className="list-disc pl-5">
        {problems.map(({ object, path, message, fix }) => (
          <li key={`${object} ${path} ${message}`} className="wrap-anywhere">
            <span className="font-mono">{cleanText(object, 300)}</span>
            {path === "" ? "" : ` ${cleanText(path, 200)}`}: {cleanText(message, 500)}{" "}
            <span className="text-muted">{cleanText(fix, 500)}</span>
          </li>
        ))}
      </ul>
      {count > problems.length && <p className="text-muted">and {count - problems.length} more</p>}
    </div>
  );
}
