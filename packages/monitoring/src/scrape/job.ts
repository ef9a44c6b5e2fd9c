import type { ConfigMap } from "../model/config-value.ts";
import type { ObjectRef } from "../model/kube-object.ts";
import type { TargetQuery } from "../targets/target-query.ts";

/** One entry of `scrape_configs`, and what it will find. */
export interface ScrapeJob {
  readonly config: ConfigMap;
  /** Before the rules that the monitor brings along. */
  readonly targets: TargetQuery;
}

/** The same, and where it comes from. */
export interface Job extends ScrapeJob {
  readonly name: string;
  /** The monitor, or the object that named additional scrape configs. */
  readonly source: ObjectRef;
  /** Who collects it: the root, or one of its instances. */
  readonly by: ObjectRef;
}
