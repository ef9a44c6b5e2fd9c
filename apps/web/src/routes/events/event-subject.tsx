import type { EventRecord } from "@bowline/api";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";
import { ObjectLink } from "../object-link.tsx";

/** Groups and versions of kinds that events are mostly about; an event names the kind alone. */
const places: Readonly<Record<string, { readonly group: string; readonly version: string }>> = {
  Pod: { group: "", version: "v1" },
  Service: { group: "", version: "v1" },
  ConfigMap: { group: "", version: "v1" },
  Secret: { group: "", version: "v1" },
  PersistentVolumeClaim: { group: "", version: "v1" },
  Deployment: { group: "apps", version: "v1" },
  ReplicaSet: { group: "apps", version: "v1" },
  StatefulSet: { group: "apps", version: "v1" },
  DaemonSet: { group: "apps", version: "v1" },
  Job: { group: "batch", version: "v1" },
  CronJob: { group: "batch", version: "v1" },
  HorizontalPodAutoscaler: { group: "autoscaling", version: "v2" },
  Ingress: { group: "networking.k8s.io", version: "v1" },
};

/** What an event is about, with the way there if there is one. */
export function EventSubject({ event }: { event: Pick<EventRecord, "regarding" | "source"> }): ReactNode {
  const { kind, name, namespace, cluster } = event.regarding;
  const text = cleanText(`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`, 300);
  const where = cluster === undefined ? "" : ` in ${cleanText(cluster)}`;
  if (kind === "WorkloadInstance") {
    return (
      <span>
        <Link to="/workloads/$name" params={{ name }}>
          {text}
        </Link>
        {where}
      </span>
    );
  }
  if (kind === "ConfigSource") {
    return (
      <Link to="/sources/config/$name" params={{ name }}>
        {text}
      </Link>
    );
  }
  if (kind === "Gateway" && event.source !== "kubernetes") {
    return (
      <Link to="/gateways/$name" params={{ name }}>
        {text}
      </Link>
    );
  }
  if (kind === "DomainName" && event.source !== "kubernetes") {
    return (
      <Link to="/domains/$name" params={{ name }}>
        {text}
      </Link>
    );
  }
  const place = Object.hasOwn(places, kind) ? places[kind] : undefined;
  if (place === undefined || cluster === undefined || event.source !== "kubernetes") {
    return (
      <span>
        {text}
        {where}
      </span>
    );
  }
  return (
    <span>
      <ObjectLink object={{ ...place, kind, cluster, namespace, name }}>{text}</ObjectLink>
      {where}
    </span>
  );
}
