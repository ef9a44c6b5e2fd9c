import type { KubeObject } from "@bowline/kube/shapes";
import type { ReactNode } from "react";

import { containersOf, type ContainerState } from "../../kube/pod-spec.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Age } from "../../ui/age.tsx";
import { HealthMark, type HealthName } from "../../ui/health-mark.tsx";

/** The containers of a pod with how they are, or those of a template. */
export function Containers({ object }: { object: KubeObject }): ReactNode {
  const containers = containersOf(object);
  const isPod = object.kind === "Pod";
  const heads = isPod ? ["Container", "State", "Restarts", "Last end", "Image"] : ["Container", "Image"];
  return (
    <section>
      <h2 className="mb-1 text-lg">Containers</h2>
      <table className="w-full text-left">
        <thead className="text-xs text-muted">
          <tr>
            {heads.map((name) => (
              <th key={name} scope="col" className="py-1 pr-4 font-semibold">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {containers.map((container) => (
            <tr key={`${container.role}/${container.name}`} className="border-t border-border align-top">
              <td className="py-1 pr-4 font-semibold">
                {cleanText(container.name, 63)}
                {container.role === "main" ? "" : <span className="text-muted"> ({container.role})</span>}
              </td>
              {isPod && <StateCells container={container} />}
              <td className="py-1 font-mono text-xs break-all">{cleanText(container.image, 300)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function StateCells({ container }: { container: ContainerState }): ReactNode {
  const { state, reason, message, since, restarts, lastEnd } = container;
  return (
    <>
      <td className="py-1 pr-4">
        <HealthMark health={containerHealth(container)} word={false} /> {state ?? "not started"}
        {reason === "" ? "" : `: ${cleanText(reason, 200)}`}
        {since !== undefined && state === "running" && (
          <span className="text-muted">
            {" "}
            for <Age at={since} />
          </span>
        )}
        {message !== "" && <div className="text-muted">{cleanText(message, 400)}</div>}
      </td>
      <td className="py-1 pr-4">{restarts}</td>
      <td className="py-1 pr-4">{lastEnd === "" ? "–" : cleanText(lastEnd, 200)}</td>
    </>
  );
}

function containerHealth({ state, reason, isReady, role }: ContainerState): HealthName {
  if (state === undefined) return "Unknown";
  if (state === "running") return isReady || role !== "main" ? "Healthy" : "Progressing";
  if (state === "terminated") return reason.includes("exit code 0") ? "Healthy" : "Degraded";
  return /^(?:ContainerCreating|PodInitializing)/u.test(reason) ? "Progressing" : "Degraded";
}
