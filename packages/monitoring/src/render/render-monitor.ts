import { Scope, type ScopeOptions } from "../check/scope.ts";
import { configSize } from "../model/config-value.ts";
import { Report, type Field } from "../model/field.ts";
import { refOf, type KubeObject, type ObjectRef } from "../model/kube-object.ts";
import type { RenderOptions } from "../root/read-root.ts";
import type { ScrapeJob } from "../scrape/job.ts";
import { podMonitorJobs } from "../scrape/pod-monitor.ts";
import { probeJobs } from "../scrape/probe.ts";
import { scrapeConfigJobs } from "../scrape/scrape-config.ts";
import { serviceMonitorJobs } from "../scrape/service-monitor.ts";
import type { Settings } from "../scrape/settings.ts";

export interface MonitorKind {
  readonly kind: string;
  /** The beginning of the names of its selectors. */
  readonly selector: string;
  /** One after the other, so that whoever takes them can stop when they become too many. */
  readonly jobs: (spec: Field, scope: Scope, settings: Settings) => Iterable<ScrapeJob>;
}

/** The kinds that become jobs. */
export const monitorKinds = {
  ServiceMonitor: { kind: "ServiceMonitor", selector: "serviceMonitor", jobs: serviceMonitorJobs },
  PodMonitor: { kind: "PodMonitor", selector: "podMonitor", jobs: podMonitorJobs },
  Probe: { kind: "Probe", selector: "probe", jobs: probeJobs },
  ScrapeConfig: { kind: "ScrapeConfig", selector: "scrapeConfig", jobs: scrapeConfigJobs },
} as const satisfies Readonly<Record<string, MonitorKind>>;

export interface RenderedMonitor {
  readonly ref: ObjectRef;
  readonly report: Report;
  /** None if there is any problem. */
  readonly jobs: readonly ScrapeJob[];
}

/**
 * Size that one monitor may add to the configuration, which all of them share. Lists of a monitor stand in each of its jobs:
 * some ten thousand bytes of it could become hundreds of millions.
 */
const maxConfigSize = 1024 * 1024;

interface RenderMonitorParts extends Pick<RenderOptions, "refuse"> {
  readonly settings: Settings;
  readonly scopeOptions: ScopeOptions;
}

/** Renders one monitor alone: whatever is wrong with it stays with it. */
export function renderMonitor(
  object: KubeObject,
  kind: MonitorKind,
  { settings, scopeOptions, refuse }: RenderMonitorParts,
): RenderedMonitor {
  const ref = refOf(object);
  const report = new Report();
  const scope = new Scope(ref, report, scopeOptions);
  const spec = scope.field(object.spec, "spec");
  const jobs = takeJobs(kind.jobs(spec, scope, settings), spec);
  // Its references are known by now: whoever listens for them learns when it takes less.
  const refusal = refuse?.(ref);
  if (refusal !== undefined) spec.reject(refusal.message, refusal.fix);
  if (jobs.length === 0) report.note("It names no endpoints, so it became no job.");
  if (report.problems.length === 0) return { ref, report, jobs };
  scope.releaseFiles();
  return { ref, report, jobs: [] };
}

/** The jobs, of which no more are made when there are too many. */
function takeJobs(made: Iterable<ScrapeJob>, spec: Field): ScrapeJob[] {
  const jobs: ScrapeJob[] = [];
  let size = 0;
  for (const job of made) {
    jobs.push(job);
    size += configSize(job.config);
    if (size > maxConfigSize) {
      spec.reject(
        "It becomes more than 1 MiB of configuration.",
        "Divide it into several, or shorten its lists of endpoints, labels and relabelings.",
      );
      break;
    }
  }
  return jobs;
}
