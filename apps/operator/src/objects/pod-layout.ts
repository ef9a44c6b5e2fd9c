import type { MetricsAgent } from "./kinds.ts";
import { objectNames } from "./ownership.ts";
import { maxSecretParts } from "./secrets.ts";

/** Where the collector listens, in the pod. */
export const collectorPort = 9090;

/** Where things are in the pods of a collector. */
export const mountPaths = {
  /** The Secrets with the configuration, as they are. */
  configParts: "/etc/prometheus/config-parts",
  /** The configuration as the collector reads it. */
  config: "/etc/prometheus/config",
  files: "/etc/prometheus/certs",
  data: "/prometheus",
} as const;

export const configFile = `${mountPaths.config}/prometheus.yaml`;

interface Volume {
  readonly name: string;
  readonly [source: string]: unknown;
}

/** The volumes but the one for data. */
export function configVolumes(agent: MetricsAgent): Volume[] {
  return [
    { name: "config-parts", ...projected((part) => objectNames.config(agent, part)) },
    // In memory, because passwords are in it.
    { name: "config", emptyDir: { medium: "Memory" } },
    { name: "files", ...projected((part) => objectNames.files(agent, part)) },
  ];
}

function projected(nameOf: (part: number) => string): Omit<Volume, "name"> {
  const sources = Array.from({ length: maxSecretParts }, (_, part) => ({
    secret: { name: nameOf(part), optional: true },
  }));
  return { projected: { sources } };
}
