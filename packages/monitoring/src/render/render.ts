import { nonEmptyList, textOf, type ConfigMap } from "../model/config-value.ts";
import { emitYaml } from "../model/emit-yaml.ts";
import type { Report } from "../model/field.ts";
import {
  compareRefs,
  formatRef,
  isOfKnownGroup,
  refOf,
  sortObjects,
  type KubeObject,
  type ObjectRef,
} from "../model/kube-object.ts";
import { externalLabels, globalConfig } from "../root/global-config.ts";
import { readRoot, zoneLabelOf, type RenderInput, type RenderOptions, type Root } from "../root/read-root.ts";
import type { Job } from "../scrape/job.ts";
import { collect, type Collected, type Collection } from "./collect.ts";
import { JobMaker } from "./job-maker.ts";
import { remoteWrites, routeJob } from "./remote-writes.ts";
import { monitorKinds, type RenderedMonitor } from "./render-monitor.ts";
import type { Explanation, MonitorExplanation, Rejected, RenderResult } from "./render-result.ts";

/**
 * Makes the configuration of a collector from custom resources. Equal objects give equal bytes, in whatever order they
 * come. Throws only where there is no configuration to speak of: a root of another kind, or an unknown version.
 */
export function render(input: RenderInput, options: RenderOptions): RenderResult {
  const root = readRoot(input.root, options);
  const { objects, conflicts } = sortObjects(input.objects.filter(isOfKnownGroup));
  for (const ref of conflicts) {
    root.scope.report.note(
      `${formatRef(ref)} is given more than once, with different content; one of them is used.`,
    );
  }
  const collected = collect(root, objects, options.selection ?? "selectors");
  const maker = new JobMaker(root, options);
  const jobs = collected.collections.flatMap((collection) => {
    const own = maker.jobsOf(collection);
    return collected.collections.length > 1 ? own.map((job) => routed(job, collection.owner)) : own;
  });
  const sections: ConfigMap = {
    global: globalConfig(root.spec, root.scope, {
      mode: root.mode,
      scrapeInterval: root.settings.scrapeInterval,
      externalLabels: externalLabels(root.spec, root.scope, zoneLabelOf(root.spec, root.scope, options)),
      enforcedLimits: root.settings.enforcedLimits,
    }),
    scrape_configs: jobs.map(({ config }) => config),
    remote_write: nonEmptyList(remoteWrites(root, collected.collections)),
  };
  return {
    config: emitYaml(sections),
    sections,
    jobs,
    rejected: rejectedOf(root, collected.collections, maker.rendered),
    references: root.references.list(),
    searches: collected.searches,
    explanation: explain({ root, objects, collected, jobs, rendered: maker.rendered }),
  };
}

function routed(job: Job, instance: ObjectRef): Job {
  const config = routeJob(job.config, instance);
  return { ...job, name: textOf(config["job_name"]), config };
}

type Rendered = ReadonlyMap<string, RenderedMonitor>;

function rejectedOf(root: Root, collections: readonly Collection[], rendered: Rendered): Rejected[] {
  const reports = new Map<ObjectRef, Report>([[root.scope.owner, root.scope.report]]);
  for (const { owner, scope } of collections) reports.set(owner, scope.report);
  for (const { ref, report } of rendered.values()) reports.set(ref, report);
  return [...reports]
    .filter(([, { problems }]) => problems.length > 0)
    .map(([object, { problems }]) => ({ object, problems }))
    .sort((a, b) => compareRefs(a.object, b.object));
}

interface Explained {
  readonly root: Root;
  readonly objects: readonly KubeObject[];
  readonly collected: Collected;
  readonly jobs: readonly Job[];
  readonly rendered: Rendered;
}

function explain({ root, objects, collected, jobs, rendered }: Explained): Explanation {
  const jobNames = Map.groupBy(jobs, ({ source }) => formatRef(source));
  const notes = new Map(collected.collections.map(({ owner, scope }) => [owner, [...scope.report.notes]]));
  const monitors = objects
    .filter(({ kind }) => Object.hasOwn(monitorKinds, kind))
    .map((object): MonitorExplanation => {
      const monitor = refOf(object);
      const key = formatRef(monitor);
      const verdicts = collected.verdicts.get(key) ?? [];
      const report = rendered.get(key)?.report;
      const isUnused = report === undefined && verdicts.some(({ selected }) => selected);
      return {
        monitor,
        verdicts,
        jobs: (jobNames.get(key) ?? []).map(({ name }) => name),
        problems: report?.problems ?? [],
        notes: isUnused
          ? [`A collector on each node does not scrape by ${monitor.kind}.`]
          : [...(report?.notes ?? [])],
      };
    });
  return {
    root: root.scope.owner,
    notes: [...root.scope.report.notes],
    instances: collected.instances.map((instance) => ({
      ...instance,
      notes: notes.get(instance.instance) ?? [],
    })),
    monitors,
  };
}
