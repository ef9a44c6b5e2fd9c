import type { ConfigMap } from "../model/config-value.ts";
import type { ObjectRef } from "../model/kube-object.ts";

/** One entry of `scrape_configs`, and where it comes from. */
export interface Job {
  readonly name: string;
  /** The monitor, or the object that named additional scrape configs. */
  readonly source: ObjectRef;
  readonly config: ConfigMap;
}
