import type { NewObject } from "../../store/sim-api.ts";
import { revisionHashLabel, templateOf } from "../controller-revisions.ts";
import type { Pod, Volume } from "../kinds/pod.ts";
import type { ControllerRevision, StatefulSet } from "../kinds/workloads.ts";
import { podFromTemplate } from "../pods/pod-template.ts";

/** The number of a pod in its set, by its name. */
export function ordinalOf(set: StatefulSet, pod: Pod): number | undefined {
  const prefix = `${set.metadata.name}-`;
  const { name } = pod.metadata;
  const digits = name.startsWith(prefix) ? name.slice(prefix.length) : "";
  return /^(0|[1-9]\d*)$/.test(digits) ? Number(digits) : undefined;
}

/** The pod with a number: its name, its host name and its volumes stay the same whenever it is made again. */
export function ordinalPod(set: StatefulSet, ordinal: number, revision: ControllerRevision): NewObject {
  const name = `${set.metadata.name}-${ordinal}`;
  const template = templateOf(revision);
  const claims: Volume[] = (set.spec.volumeClaimTemplates ?? []).map((claim) => ({
    name: claim.metadata.name,
    persistentVolumeClaim: { claimName: claimName(set, claim.metadata.name, ordinal) },
  }));
  const claimed = new Set(claims.map((volume) => volume.name));
  const others = (template.spec.volumes ?? []).filter((volume) => !claimed.has(volume.name));
  const volumes = [...others, ...claims];
  return podFromTemplate(set, template, {
    name,
    labels: {
      "apps.kubernetes.io/pod-index": String(ordinal),
      [revisionHashLabel]: revision.metadata.name,
      "statefulset.kubernetes.io/pod-name": name,
    },
    spec: {
      ...template.spec,
      ...(volumes.length === 0 ? {} : { volumes }),
      hostname: name,
      ...(set.spec.serviceName === undefined ? {} : { subdomain: set.spec.serviceName }),
    },
  });
}

/** The claims a numbered pod needs. They outlive it. */
export function ordinalClaims(set: StatefulSet, ordinal: number): NewObject[] {
  return (set.spec.volumeClaimTemplates ?? []).map(({ metadata, spec }) => ({
    apiVersion: "v1",
    kind: "PersistentVolumeClaim",
    metadata: {
      name: claimName(set, metadata.name, ordinal),
      ...(set.metadata.namespace === undefined ? {} : { namespace: set.metadata.namespace }),
      labels: { ...metadata.labels, ...set.spec.selector.matchLabels },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
    },
    spec,
  }));
}

function claimName(set: StatefulSet, template: string, ordinal: number): string {
  return `${template}-${set.metadata.name}-${ordinal}`;
}
