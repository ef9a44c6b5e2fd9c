import { asRecord, isRecord } from "@bowline/core";

import type { FactsWriter } from "./facts-writer.ts";
import { defineKind, type KindFacts } from "./kind-facts.ts";
import { containerFields, containerLists, PodContainers } from "./pod-containers.ts";
import { describeVolumes, projectsToken, volumeFields, type PodSource } from "./pod-volumes.ts";
import { booleanOf, listOf, numberOf, textOf, trueOf, type FactFields } from "../model/read-fields.ts";
import { refer, referToSecret, wholeObject } from "./source.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The fields of a pod's spec that name others. */
export const podSpecFields: FactFields = {
  serviceAccountName: true,
  automountServiceAccountToken: true,
  imagePullSecrets: { name: true },
  volumes: volumeFields,
  ...Object.fromEntries(containerLists.map(({ list }) => [list, containerFields] as const)),
};

const statusFields = { name: true, imageID: true } as const;

/**
 * Of the status only what stays: restarts, readiness and times of conditions change all the time and change nothing
 * about who has to do with whom.
 */
const podFields: FactFields = {
  spec: {
    ...podSpecFields,
    nodeName: true,
    hostNetwork: true,
    hostPID: true,
    hostIPC: true,
    hostUsers: true,
    priorityClassName: true,
    runtimeClassName: true,
    securityContext: { runAsUser: true, runAsNonRoot: true },
  },
  status: {
    phase: true,
    podIP: true,
    podIPs: { ip: true },
    ...Object.fromEntries(containerLists.map(({ statuses }) => [statuses, statusFields] as const)),
  },
};

export const podKind: KindFacts = defineKind({
  group: "",
  kind: "Pod",
  namespaced: true,
  fields: podFields,
  describe: (writer, object) => {
    const spec = asRecord(object["spec"]);
    const status = asRecord(object["status"]);
    writer.describe(podProperties(writer, spec, status));
    const runsOn = { type: "RUNS_ON", kind: "Node", namespace: "", name: spec["nodeName"] } as const;
    refer(wholeObject(writer, "/spec"), { ...runsOn, at: "/nodeName" });
    describePodSpec({ ...wholeObject(writer, "/spec"), isPod: true }, object["spec"], status);
  },
});

function podProperties(
  writer: FactsWriter,
  spec: Fields,
  status: Fields,
): Parameters<FactsWriter["describe"]>[0] {
  const security = asRecord(spec["securityContext"]);
  const ips = listOf(status["podIPs"]).map((item) => asRecord(item)["ip"]);
  return {
    phase: textOf(status["phase"]),
    ip: textOf(status["podIP"]),
    ips: ips.length > 1 ? writer.texts(ips, "ips") : undefined,
    nodeName: textOf(spec["nodeName"]),
    hostNetwork: trueOf(spec["hostNetwork"]),
    hostPID: trueOf(spec["hostPID"]),
    hostIPC: trueOf(spec["hostIPC"]),
    hostUsers: booleanOf(spec["hostUsers"]),
    automountServiceAccountToken: booleanOf(spec["automountServiceAccountToken"]),
    priorityClass: textOf(spec["priorityClassName"]),
    runtimeClass: textOf(spec["runtimeClassName"]),
    runAsUser: numberOf(security["runAsUser"]),
    runAsNonRoot: booleanOf(security["runAsNonRoot"]),
  };
}

/** Whom a pod, or the pods of a template, run as, and what they run, mount and read. */
export function describePodSpec(pod: PodSource, spec: unknown, status: Fields = {}): void {
  // Of half an object nobody knows whom it runs as.
  if (!isRecord(spec)) return;
  const { serviceAccountName } = spec;
  const isNamed = typeof serviceAccountName === "string" && serviceAccountName !== "";
  const account = isNamed
    ? { name: serviceAccountName, at: "/serviceAccountName" }
    : { name: "default", at: "" };
  refer(
    pod,
    { type: "RUNS_AS", kind: "ServiceAccount", ...account },
    { isDefaulted: trueOf(!isNamed), mountsToken: mountsToken(spec) },
  );
  for (const [index, item] of listOf(spec["imagePullSecrets"]).entries()) {
    referToSecret(pod, asRecord(item)["name"], `/imagePullSecrets/${index}`, { isForPulling: true });
  }
  const containers = new PodContainers(pod, describeVolumes(pod, spec["volumes"]));
  for (const { list, statuses } of containerLists) containers.describe(list, spec[list], status[statuses]);
}

/** Whether containers get a token of the ServiceAccount; undefined where it is the ServiceAccount that says so. */
function mountsToken({ automountServiceAccountToken, volumes }: Fields): boolean | undefined {
  return listOf(volumes).some(projectsToken) ? true : booleanOf(automountServiceAccountToken);
}
