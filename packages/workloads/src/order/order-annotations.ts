import type { KubeObject } from "@bowline/kube";
import type { HookPhase } from "@bowline/store";

/** When an object is applied, as its annotations say. */
export interface ObjectOrder {
  /** Objects of a lower wave come first, and have to be healthy. */
  readonly wave: number;
  /** It runs once for each revision. */
  readonly hook?: HookPhase | undefined;
}

const waveAnnotation = "bowline.dev/wave";
const hookAnnotation = "bowline.dev/hook";

const phases: readonly HookPhase[] = ["pre", "post", "delete"];
const wholeNumber = /^-?(?:0|[1-9]\d{0,8})$/;

/** Whether annotations say anything about a place; where they cannot be read, nobody knows what has to wait for what. */
export function saysOrder(annotations: Readonly<Record<string, unknown>> = {}): boolean {
  return annotations[waveAnnotation] !== undefined || annotations[hookAnnotation] !== undefined;
}

/** What is wrong with the annotations, without its full stop. */
export function orderProblem({ apiVersion, kind, metadata }: KubeObject): string | undefined {
  const { [waveAnnotation]: wave, [hookAnnotation]: hook } = metadata.annotations ?? {};
  if (wave !== undefined && !wholeNumber.test(wave)) {
    return `its annotation ${waveAnnotation} must be a whole number in quotes, such as "-1", "0" or "10"`;
  }
  if (hook === undefined) return undefined;
  if (!phases.some((phase) => phase === hook)) {
    return `its annotation ${hookAnnotation} must be "pre", "post" or "delete"`;
  }
  const isRun =
    (kind === "Job" && apiVersion.startsWith("batch/")) || (kind === "Pod" && apiVersion === "v1");
  return isRun ? undefined : `its annotation ${hookAnnotation} is for Jobs and Pods, which run and end`;
}

/** Of an object whose annotations have no problem. */
export function orderOf({ metadata }: Pick<KubeObject, "metadata">): ObjectOrder {
  const { [waveAnnotation]: wave, [hookAnnotation]: given } = metadata.annotations ?? {};
  const hook = phases.find((phase) => phase === given);
  const number = wave !== undefined && wholeNumber.test(wave) ? Number(wave) : 0;
  // An object in the cluster may say -0.
  return { wave: number === 0 ? 0 : number, ...(hook === undefined ? {} : { hook }) };
}
