import type { Search } from "../check/search.ts";
import type { ConfigMap } from "../model/config-value.ts";
import type { Problem } from "../model/field.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import type { Reference } from "../model/references.ts";
import type { Job } from "../scrape/job.ts";

export interface RenderResult {
  /** The configuration as YAML. */
  readonly config: string;
  /** The same as data. */
  readonly sections: ConfigMap;
  readonly jobs: readonly Job[];
  /**
   * Objects with problems. A monitor that is listed here is not in the configuration; of a root or an instance, the
   * part that the path names is not.
   */
  readonly rejected: readonly Rejected[];
  /** Every key of a Secret or ConfigMap that is needed, also those that are missing. */
  readonly references: readonly Reference[];
  /** Every search that was made, also those that found nothing: what a controller has to watch. */
  readonly searches: readonly Search[];
  readonly explanation: Explanation;
}

export interface Rejected {
  readonly object: ObjectRef;
  readonly problems: readonly Problem[];
}

export interface Explanation {
  readonly root: ObjectRef;
  /** Remarks on the root: selectors that are not set, fields that the version does not know. */
  readonly notes: readonly string[];
  readonly instances: readonly InstanceExplanation[];
  readonly monitors: readonly MonitorExplanation[];
}

/** An instance of a MetricsAgent. */
export interface InstanceExplanation {
  readonly instance: ObjectRef;
  readonly selected: boolean;
  readonly reason: string;
  readonly notes: readonly string[];
}

export interface MonitorExplanation {
  readonly monitor: ObjectRef;
  /** One from each searcher. */
  readonly verdicts: readonly SearchVerdict[];
  /** The names of the jobs it became. */
  readonly jobs: readonly string[];
  readonly problems: readonly Problem[];
  readonly notes: readonly string[];
}

export interface SearchVerdict {
  readonly by: ObjectRef;
  readonly selected: boolean;
  readonly reason: string;
}
