import type { ReactNode } from "react";

import { podSelector } from "../../kube/pod-selector.ts";
import { LogView } from "../logs/log-view.tsx";
import { ShellView } from "../shell/shell-view.tsx";
import type { ObjectTabProps } from "./tabs.ts";

/** The logs of a pod, or of all pods of a workload. */
export function LogsTab({ place, object }: ObjectTabProps): ReactNode {
  const { cluster, namespace = "", name } = place;
  const selector = podSelector(object);
  return (
    <div className="flex h-full min-h-0 flex-col">
      <LogView
        cluster={cluster}
        namespace={namespace}
        {...(selector === undefined ? { pod: name } : { labelSelector: selector })}
      />
    </div>
  );
}

/** A shell in one of the containers of a pod. */
export function ShellTab({ place }: ObjectTabProps): ReactNode {
  return (
    <div className="flex h-full min-h-0 flex-col">
      <ShellView cluster={place.cluster} namespace={place.namespace ?? ""} pod={place.name} />
    </div>
  );
}
