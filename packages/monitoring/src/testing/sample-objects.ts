import { parse } from "yaml";

import {
  render,
  resolveFromObjects,
  type KubeObject,
  type MetricsAgentSpec,
  type MetricsInstanceSpec,
  type RenderOptions,
  type RenderResult,
} from "../index.ts";

/** Objects for tests, as short as they can be. */
export function object(
  kind: string,
  id: string,
  spec: unknown,
  labels: Record<string, string> = {},
): KubeObject {
  const [namespace = "", name = ""] = id.split("/");
  return { kind, metadata: { namespace, name, labels }, spec };
}

export function prometheus(spec: Record<string, unknown> = {}): KubeObject {
  const selectors = Object.fromEntries(
    ["serviceMonitor", "podMonitor", "probe", "scrapeConfig"].flatMap((kind) => [
      [`${kind}Selector`, {}],
      [`${kind}NamespaceSelector`, {}],
    ]),
  );
  return object("Prometheus", "monitoring/main", { ...selectors, ...spec });
}

export function metricsAgent(spec: MetricsAgentSpec): KubeObject {
  return object("MetricsAgent", "monitoring/main", {
    instanceSelector: {},
    instanceNamespaceSelector: {},
    ...spec,
  });
}

export function metricsInstance(id: string, spec: MetricsInstanceSpec): KubeObject {
  return object("MetricsInstance", id, spec);
}

export function serviceMonitor(
  id: string,
  spec: Record<string, unknown> = {},
  labels?: Record<string, string>,
): KubeObject {
  return object("ServiceMonitor", id, { selector: {}, endpoints: [{ port: "web" }], ...spec }, labels);
}

export function podMonitor(id: string, spec: Record<string, unknown> = {}): KubeObject {
  return object("PodMonitor", id, { selector: {}, podMetricsEndpoints: [{ port: "web" }], ...spec });
}

export function probe(id: string, spec: Record<string, unknown> = {}): KubeObject {
  return object("Probe", id, {
    prober: { url: "blackbox:9115" },
    targets: { staticConfig: { static: ["example.com"] } },
    ...spec,
  });
}

export function secret(id: string, stringData: Record<string, string>): KubeObject {
  return { ...object("Secret", id, undefined), stringData };
}

export function namespace(name: string, labels: Record<string, string>): KubeObject {
  return { kind: "Namespace", metadata: { name, labels } };
}

export interface Rendering {
  readonly root: KubeObject;
  readonly objects: readonly KubeObject[];
  readonly options: Partial<RenderOptions>;
}

/** Everything that a file of tests has rendered, by what came out, for a check at its end. */
export const renderings = new Map<string, Rendering>();

/** Renders with the Secrets among the objects. */
export function renderObjects(
  root: KubeObject,
  objects: readonly KubeObject[],
  options: Partial<RenderOptions> = {},
): RenderResult {
  const result = render({ root, objects }, { resolve: resolveFromObjects(objects), ...options });
  renderings.set(result.config, { root, objects, options });
  return result;
}

/** The configuration as its readers see it. */
export interface ParsedConfig {
  readonly global: Readonly<Record<string, unknown>>;
  readonly scrape_configs: readonly ParsedJob[];
  readonly remote_write?: readonly Readonly<Record<string, unknown>>[];
}

export type ParsedJob = Readonly<Record<string, unknown>> & {
  readonly job_name: string;
  readonly relabel_configs: readonly Readonly<Record<string, unknown>>[];
};

export function parseConfig({ config }: Pick<RenderResult, "config">): ParsedConfig {
  return parse(config) as ParsedConfig;
}

/** The first job of what is rendered, after a check that nothing was rejected. */
export function firstJob(result: RenderResult): ParsedJob {
  const [rejected] = result.rejected;
  if (rejected !== undefined) throw new Error(rejected.problems.map(({ message }) => message).join(" "));
  const [job] = parseConfig(result).scrape_configs;
  if (job === undefined) throw new Error("there is no job");
  return job;
}
