import type { ManifestObject } from "@bowline/manifests";
import { objectText } from "@bowline/store";

import type { ReportedObject } from "../order/gate.ts";
import type { TestCluster } from "./test-cluster.ts";

export const healthy: ReportedObject = { isHealthy: true, isMissing: false, message: "" };
export const starting: ReportedObject = { isHealthy: false, isMissing: false, message: "It starts." };
export const succeeded: ReportedObject = { ...healthy, end: "succeeded" };
export const failed: ReportedObject = { ...starting, end: "failed", message: "The job has failed." };
export const missing: ReportedObject = { ...starting, isMissing: true };

/** What an agent has told, by the name of the object, or how its name begins. */
export async function reports(
  cluster: TestCluster,
  told: Readonly<Record<string, ReportedObject>>,
): Promise<() => Promise<ReadonlyMap<string, ReportedObject>>> {
  const items = await cluster.inventory();
  const all = new Map(
    items.flatMap((item) => {
      const [, found] = Object.entries(told).find(([name]) => item.name.startsWith(name)) ?? [];
      return found === undefined ? [] : [[objectText(item), found]];
    }),
  );
  return async () => all;
}

/** A ConfigMap in a wave. */
export function inWave(name: string, wave: string, value = "1"): ManifestObject {
  const metadata = { name, annotations: { "bowline.dev/wave": wave } };
  return { apiVersion: "v1", kind: "ConfigMap", metadata, data: { value } };
}

/** A Job that runs once for each revision. */
export function hook(phase: string, name: string, wave = "0"): ManifestObject {
  const annotations = { "bowline.dev/hook": phase, "bowline.dev/wave": wave };
  const containers = [{ name: "main", image: "example/migrate:1" }];
  const template = { spec: { restartPolicy: "Never", containers } };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name, annotations }, spec: { template } };
}
