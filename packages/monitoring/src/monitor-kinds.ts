import type { Field } from "./field/field.ts";
import type { ScrapeJob } from "./scrape/job.ts";
import { podMonitorJobs } from "./scrape/pod-monitor.ts";
import { probeJobs } from "./scrape/probe.ts";
import { scrapeConfigJobs } from "./scrape/scrape-config.ts";
import type { Scope } from "./scrape/scope.ts";
import { serviceMonitorJobs } from "./scrape/service-monitor.ts";
import type { Settings } from "./scrape/settings.ts";

export interface MonitorKind {
  readonly kind: string;
  /** What the fields of its selectors begin with. */
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
