import { Report } from "./field/report.ts";
import { refOf, type KubeObject, type ObjectRef } from "./model/kube-object.ts";
import type { MonitorKind } from "./monitor-kinds.ts";
import type { ScrapeJob } from "./scrape/job.ts";
import { Scope, type ScopeOptions } from "./scrape/scope.ts";
import type { Settings } from "./scrape/settings.ts";

export interface RenderedMonitor {
  readonly ref: ObjectRef;
  readonly report: Report;
  /** None if there is any problem. */
  readonly jobs: readonly ScrapeJob[];
}

/** Renders one monitor alone: whatever is wrong with it stays with it. */
export function renderMonitor(
  object: KubeObject,
  kind: MonitorKind,
  { settings, scopeOptions }: { readonly settings: Settings; readonly scopeOptions: ScopeOptions },
): RenderedMonitor {
  const ref = refOf(object);
  const report = new Report();
  const scope = new Scope(ref, report, scopeOptions);
  const jobs = kind.jobs(scope.field(object.spec, "spec"), scope, settings);
  if (jobs.length === 0) report.note("It names no endpoints, so it became no job.");
  return { ref, report, jobs: report.problems.length === 0 ? jobs : [] };
}
