import { useMemo, useState, type ReactNode } from "react";

import type { LogTarget } from "../../kube/log-feed.ts";
import { LogPanel } from "./log-panel.tsx";
import { defaultLogSettings, type LogSettings } from "./log-settings.ts";

export type LogViewProps = LogTarget;

/** The logs of a pod, or of all pods that have some labels, for a part of another screen. */
export function LogView({ cluster, namespace, pod, labelSelector, container }: LogViewProps): ReactNode {
  const targets = useMemo(
    () => [{ cluster, namespace, pod, labelSelector }],
    [cluster, namespace, pod, labelSelector],
  );
  return <MergedLogView targets={targets} container={container} />;
}

/** The same for several places, such as a workload's pods in all its clusters. */
export function MergedLogView({
  targets,
  container = "",
}: {
  targets: readonly LogTarget[];
  container?: string | undefined;
}): ReactNode {
  const [settings, setSettings] = useState<LogSettings>({ ...defaultLogSettings, container });
  return (
    <LogPanel
      targets={targets}
      settings={settings}
      onSettings={(change) => setSettings((before) => ({ ...before, ...change }))}
    />
  );
}
