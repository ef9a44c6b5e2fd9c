import { defaultCollectorVersion } from "@bowline/monitoring";

import type { MetricsAgent } from "./kinds.ts";
import { collectorPort, configFile, mountPaths } from "./pod-layout.ts";
import { reloadScript } from "./reload-script.ts";

type Container = Readonly<Record<string, unknown>> & { readonly name: string };

export function portName({ spec }: MetricsAgent): string {
  return spec.portName ?? "http-metrics";
}

/** `repository` is the operator's, for agents that name no image of their own. */
export function collectorImage({ spec }: MetricsAgent, repository: string): string {
  const version = spec.version ?? defaultCollectorVersion;
  return spec.image ?? `${repository}:${version.startsWith("v") ? version : `v${version}`}`;
}

const hardened = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ["ALL"] },
};

const mounts = {
  configParts: { name: "config-parts", mountPath: mountPaths.configParts, readOnly: true },
  config: { name: "config", mountPath: mountPaths.config },
  files: { name: "files", mountPath: mountPaths.files, readOnly: true },
  data: { name: "data", mountPath: mountPaths.data },
} as const;

export function collectorContainer(agent: MetricsAgent, image: string): Container {
  const { resources } = agent.spec;
  return {
    name: "prometheus",
    image,
    ...pullPolicy(agent),
    args: collectorArgs(agent),
    ports: [{ name: portName(agent), containerPort: collectorPort, protocol: "TCP" }],
    // Replaying a long log takes minutes; a collector that is killed meanwhile starts again from the beginning.
    startupProbe: probe("/-/ready", { periodSeconds: 5, failureThreshold: 180 }),
    readinessProbe: probe("/-/ready", { periodSeconds: 5, failureThreshold: 3 }),
    livenessProbe: probe("/-/healthy", { periodSeconds: 10, failureThreshold: 6 }),
    ...(resources === undefined ? {} : { resources }),
    securityContext: hardened,
    volumeMounts: [{ ...mounts.config, readOnly: true }, mounts.files, mounts.data],
  };
}

/** The one that runs before the collector starts, and the one beside it. */
export function reloadContainers(agent: MetricsAgent, image: string, shard: number): [Container, Container] {
  const shared = {
    image: agent.spec.configReloaderImage ?? image,
    ...pullPolicy(agent),
    env: [
      { name: "SHARD", value: String(shard) },
      { name: "POD_NAME", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
      { name: "NODE_NAME", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } },
    ],
    resources: { requests: { cpu: "5m", memory: "16Mi" } },
    securityContext: hardened,
    volumeMounts: [mounts.configParts, mounts.config],
  };
  const command = ["/bin/sh", "-c", reloadScript, "config-reloader"];
  return [
    { name: "init-config", ...shared, command: [...command, "once"] },
    { name: "config-reloader", ...shared, command: [...command, "watch"] },
  ];
}

function collectorArgs({ spec }: MetricsAgent): string[] {
  const [, major = "3"] = /^v?(\d+)\./u.exec(spec.version ?? defaultCollectorVersion) ?? [];
  return [
    // Until version 3 it was an experimental feature.
    Number(major) < 3 ? "--enable-feature=agent" : "--agent",
    `--config.file=${configFile}`,
    `--storage.agent.path=${mountPaths.data}`,
    `--web.listen-address=:${collectorPort}`,
    "--web.enable-lifecycle",
    ...(spec.logLevel === undefined ? [] : [`--log.level=${spec.logLevel}`]),
    ...(spec.logFormat === undefined ? [] : [`--log.format=${spec.logFormat}`]),
  ];
}

function pullPolicy({ spec }: MetricsAgent): { readonly imagePullPolicy?: string } {
  return spec.imagePullPolicy === undefined ? {} : { imagePullPolicy: spec.imagePullPolicy };
}

function probe(path: string, times: { periodSeconds: number; failureThreshold: number }): object {
  return { httpGet: { path, port: collectorPort, scheme: "HTTP" }, timeoutSeconds: 3, ...times };
}
