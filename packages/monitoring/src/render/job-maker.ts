import { textOf } from "../model/config-value.ts";
import { formatRef, refOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import type { RenderOptions, Root } from "../root/read-root.ts";
import { additionalScrapeConfigs } from "../scrape/additional-scrape-configs.ts";
import type { Job, ScrapeJob } from "../scrape/job.ts";
import { uncounted } from "../targets/target-query.ts";
import type { Collection } from "./collect.ts";
import { monitorKinds, renderMonitor, type MonitorKind, type RenderedMonitor } from "./render-monitor.ts";

type JobSource = keyof typeof monitorKinds | "additional";

const serverOrder: readonly JobSource[] = [
  "ServiceMonitor",
  "PodMonitor",
  "Probe",
  "ScrapeConfig",
  "additional",
];
const agentOrder: readonly JobSource[] = [
  "PodMonitor",
  "additional",
  "ServiceMonitor",
  "Probe",
  "ScrapeConfig",
];
/** A collector on each node can only divide what is on a node. */
const daemonSetOrder: readonly JobSource[] = ["PodMonitor", "additional"];

/** Makes the jobs of collections. A monitor that several collect is rendered once. */
export class JobMaker {
  readonly rendered = new Map<string, RenderedMonitor>();
  readonly #root: Root;
  readonly #refuse: RenderOptions["refuse"];

  constructor(root: Root, { refuse }: Pick<RenderOptions, "refuse">) {
    this.#root = root;
    this.#refuse = refuse;
  }

  jobsOf(collection: Collection): Job[] {
    const jobs = this.#order().flatMap((source) =>
      source === "additional"
        ? this.#additionalJobs(collection)
        : collection.monitors
            .filter(({ kind }) => kind === source)
            .flatMap((monitor) => this.#monitorJobs(monitor, monitorKinds[source], collection.owner)),
    );
    return withoutDoubles(jobs, collection);
  }

  #order(): readonly JobSource[] {
    if (this.#root.settings.daemonSet) return daemonSetOrder;
    return this.#root.mode === "agent" ? agentOrder : serverOrder;
  }

  #monitorJobs(monitor: KubeObject, kind: MonitorKind, by: ObjectRef): Job[] {
    const key = formatRef(refOf(monitor));
    const { settings, scope } = this.#root;
    const parts = { settings, scopeOptions: scope.options, refuse: this.#refuse };
    const rendered = this.rendered.get(key) ?? renderMonitor(monitor, kind, parts);
    this.rendered.set(key, rendered);
    return rendered.jobs.map((job) => jobOf(job, { source: rendered.ref, by }));
  }

  #additionalJobs({ spec, scope }: Collection): Job[] {
    const { value, problem } = scope.isolated(spec.get("additionalScrapeConfigs"), (field, own) =>
      additionalScrapeConfigs(field, own, this.#root.settings.sharding),
    );
    const { owner } = scope;
    if (problem !== undefined) return [];
    return value.map((config) => jobOf({ config, targets: uncounted }, { source: owner, by: owner }));
  }
}

function jobOf({ config, targets }: ScrapeJob, { source, by }: Pick<Job, "source" | "by">): Job {
  return { name: textOf(config["job_name"]), source, by, config, targets };
}

/** Prometheus refuses a configuration with two jobs of one name; only additional ones can be to blame. */
function withoutDoubles(jobs: readonly Job[], { spec, owner }: Collection): Job[] {
  const taken = new Set(jobs.filter(({ source }) => source !== owner).map(({ name }) => name));
  return jobs.filter(({ source, name }) => {
    if (source !== owner) return true;
    const isDouble = taken.has(name);
    taken.add(name);
    if (isDouble) {
      spec
        .get("additionalScrapeConfigs")
        .reject(
          `The additional scrape configs have a job «${name}», and there is another of that name.`,
          "Give the job another job_name.",
        );
    }
    return !isDouble;
  });
}
