import { lazy, Suspense } from "react";

import type { LogTarget } from "../kube/log-feed.ts";
import type { PodPlace } from "../kube/pod-paths.ts";
import { dock } from "../ui/dock-items.ts";
import { Loading } from "../ui/states.tsx";

const LogView = lazy(async () => ({ default: (await import("./logs/log-view.tsx")).LogView }));
const ShellView = lazy(async () => ({ default: (await import("./shell/shell-view.tsx")).ShellView }));

/** Opens a shell at the bottom of the page, where it stays while one goes elsewhere. */
export function openShellBelow(place: PodPlace): void {
  const { cluster, namespace, pod, container = "" } = place;
  dock.open({
    id: `shell ${cluster} ${namespace} ${pod} ${container}`,
    title: `Shell: ${cluster} / ${namespace} / ${pod}`,
    content: (
      <Suspense fallback={<Loading what="the shell" />}>
        <ShellView {...place} />
      </Suspense>
    ),
  });
}

/** Opens logs there. */
export function openLogsBelow(target: LogTarget): void {
  const { cluster, namespace, pod, labelSelector = "", container = "" } = target;
  dock.open({
    id: `logs ${cluster} ${namespace} ${pod ?? ""} ${labelSelector} ${container}`,
    title: `Logs: ${cluster} / ${namespace} / ${pod ?? labelSelector}`,
    content: (
      <Suspense fallback={<Loading what="the logs" />}>
        <LogView {...target} />
      </Suspense>
    ),
  });
}
