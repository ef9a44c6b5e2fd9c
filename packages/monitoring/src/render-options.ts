import type { Problem } from "./field/report.ts";
import type { GeneratorSwitches } from "./root/read-settings.ts";
import type { Mode } from "./root/global-config.ts";
import type { KubeObject, ObjectRef } from "./model/kube-object.ts";
import type { Resolve, ValueRef } from "./reference/reference.ts";
import type { Checks } from "./scrape/scope.ts";

export interface RenderInput {
  /** A Prometheus, a PrometheusAgent or a MetricsAgent. */
  readonly root: KubeObject;
  /** Instances, monitors and namespaces, in any order; other kinds do no harm. */
  readonly objects: readonly KubeObject[];
}

/** `all` takes every instance and monitor, whatever the selectors say; `allOf` does so for some kinds. */
export type Selection = "selectors" | "all" | { readonly allOf: readonly string[] };

/** Sentences as in a problem. */
export type Refusal = Pick<Problem, "message" | "fix">;

export interface RenderOptions extends GeneratorSwitches {
  readonly resolve: Resolve;
  /** Whether a value that is not resolved may only not be read: it is reported as that, and not as missing. */
  readonly isForbidden?: ((ref: ValueRef) => boolean) | undefined;
  /** For which kind of collector; without it, the root's kind decides. */
  readonly mode?: Mode | undefined;
  /** The collector's version; without it the root's, or the newest that is known. */
  readonly version?: string | undefined;
  readonly selection?: Selection | undefined;
  /** Why a monitor is to be left out that nothing is wrong with, such as a lack of room. */
  readonly refuse?: ((monitor: ObjectRef) => Refusal | undefined) | undefined;
  readonly checks?: Checks | undefined;
  /** Where the files for TLS will be. */
  readonly certsDirectory?: string | undefined;
}
