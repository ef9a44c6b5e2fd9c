import { asRecord, canonicalJson } from "@bowline/core";
import type { KubeObject } from "@bowline/kube";

/** What the cluster writes, and what repeats the whole object, values of Secrets included. */
const hiddenMetadata = new Set([
  "creationTimestamp",
  "deletionGracePeriodSeconds",
  "deletionTimestamp",
  "generation",
  "managedFields",
  "resourceVersion",
  "selfLink",
  "uid",
]);
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration";
/** In the place of a value, as `kubectl diff` writes it. */
const mask = "***";

export interface ShownObjects {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
  readonly isSame: boolean;
}

/** An object before and after, as people compare it. */
export function shownObjects(before: KubeObject | undefined, after: KubeObject | undefined): ShownObjects {
  const shownBefore = before === undefined ? undefined : withoutServerFields(before);
  const shownAfter = after === undefined ? undefined : withoutServerFields(after);
  const isSame = canonicalJson(shownBefore) === canonicalJson(shownAfter);
  return {
    before: shownBefore === undefined ? undefined : maskedSecret(shownBefore, shownAfter, "before"),
    after: shownAfter === undefined ? undefined : maskedSecret(shownAfter, shownBefore, "after"),
    isSame,
  };
}

function withoutServerFields({ status: _status, ...object }: KubeObject): KubeObject {
  const { annotations, ...metadata } = Object.fromEntries(
    Object.entries(object.metadata).filter(([name]) => !hiddenMetadata.has(name)),
  ) as KubeObject["metadata"];
  const { [lastApplied]: _last, ...shown } = annotations ?? {};
  const some = Object.keys(shown).length === 0 ? {} : { annotations: shown };
  return withoutEmptyTimes({ ...object, metadata: { ...metadata, ...some } });
}

/** Older servers write `creationTimestamp: null` into every template, and clusters would differ in nothing else. */
function withoutEmptyTimes(object: KubeObject): KubeObject {
  return JSON.parse(JSON.stringify(object), (key, value: unknown) =>
    key === "creationTimestamp" && value === null ? undefined : value,
  );
}

/** An object whose values nobody may see if it is a Secret. Whether one has changed can be told without it. */
export function maskedSecret<T extends Readonly<Record<string, unknown>>>(
  object: T,
  other: Readonly<Record<string, unknown>> | undefined,
  side: "before" | "after",
): T {
  if (object["kind"] !== "Secret" || object["apiVersion"] !== "v1") return object;
  const fields = ["data", "stringData"].filter((field) => field in object);
  const values = fields.map((field) => {
    const theirs = asRecord(other?.[field]);
    const shown = Object.entries(asRecord(object[field])).map(([key, value]) => {
      const isChanged = Object.hasOwn(theirs, key) && theirs[key] !== value;
      return [key, isChanged ? `${mask} (${side})` : mask];
    });
    return [field, Object.fromEntries(shown)];
  });
  return { ...object, ...Object.fromEntries(values) };
}
