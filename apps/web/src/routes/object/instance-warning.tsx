import { recordOf, textOf, type KubeObject } from "@bowline/kube/shapes";
import type { ReactNode } from "react";

import { cleanText } from "../../text/clean-text.ts";

/** The label that names the WorkloadInstance of an object. */
const instanceLabel = "bowline.dev/instance";

/** The WorkloadInstance that an object belongs to. */
function instanceOf(object: KubeObject): string | undefined {
  return textOf(recordOf(object.metadata.labels)?.[instanceLabel]);
}

/** Whoever changes what belongs to a workload should know that it does not last. */
export function InstanceWarning({ object }: { object: KubeObject }): ReactNode {
  const instance = instanceOf(object);
  if (instance === undefined) return null;
  return (
    <p role="note" className="rounded-sm border border-missing bg-surface px-3 py-2 text-missing">
      It belongs to the WorkloadInstance <strong>{cleanText(instance, 253)}</strong>, which will set back what
      is changed here. Change its definition instead.
    </p>
  );
}
