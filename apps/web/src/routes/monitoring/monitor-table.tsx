import type { ReactNode } from "react";

import { monitorVerdict, type MonitoringObject, type MonitorVerdict } from "../../kube/monitoring.ts";
import { cleanText } from "../../text/clean-text.ts";
import { HealthMark, type HealthName } from "../../ui/health-mark.tsx";
import { ObjectLink } from "../object-link.tsx";

interface MonitorTableProps {
  readonly monitors: readonly MonitoringObject[];
  /** Agents and instances, whose statuses tell what became of monitors. */
  readonly holders: readonly MonitoringObject[];
  readonly cluster: string;
}

const states: Readonly<
  Record<
    MonitorVerdict["state"],
    { readonly health: HealthName; readonly text: string; readonly rank: number }
  >
> = {
  rejected: { health: "Degraded", text: "left out", rank: 0 },
  withoutTargets: { health: "Missing", text: "finds no target", rank: 1 },
  unread: { health: "Missing", text: "nobody reads it: there is no MetricsAgent", rank: 2 },
  used: { health: "Healthy", text: "no problem is told", rank: 3 },
};

const maxRows = 500;

/** What became of each monitor, those that need somebody first. */
export function MonitorTable({ monitors, holders, cluster }: MonitorTableProps): ReactNode {
  const rows = monitors
    .map((monitor) => ({ monitor, verdict: monitorVerdict(monitor, holders) }))
    .toSorted((a, b) => states[a.verdict.state].rank - states[b.verdict.state].rank);
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-left">
        <thead>
          <tr className="text-xs text-muted">
            {["Monitor", "Kind", "What it became", "Why not, and what to do"].map((header) => (
              <th key={header} className="py-1 pr-3 font-semibold">
                {header}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, maxRows).map(({ monitor, verdict: { state, problem } }) => {
            const { kind, namespace, name } = monitor;
            return (
              <tr key={`${kind.kind} ${namespace}/${name}`} className="border-t border-border align-baseline">
                <td className="py-1 pr-3 font-mono">
                  <ObjectLink object={{ ...kind, cluster, namespace, name }}>
                    {cleanText(`${namespace}/${name}`, 300)}
                  </ObjectLink>
                </td>
                <td className="py-1 pr-3">{kind.kind}</td>
                <td className="py-1 pr-3 whitespace-nowrap">
                  <HealthMark health={states[state].health} word={false} /> {states[state].text}
                </td>
                <td className="py-1 wrap-anywhere">
                  {problem === undefined
                    ? ""
                    : cleanText(`${problem.path} ${problem.message} ${problem.fix}`.trim(), 1_000)}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {rows.length > maxRows && <p className="text-muted">{rows.length - maxRows} more are not shown.</p>}
    </div>
  );
}
