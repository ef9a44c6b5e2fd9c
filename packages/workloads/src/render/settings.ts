import type { KubeObject } from "@bowline/kube";

import { orderProblem } from "../order/order-annotations.ts";

/** Annotations by which an object says how it wants to be treated. */
const settings: Readonly<Record<string, readonly string[]>> = {
  "bowline.dev/prune": ["allowed", "disabled"],
  "bowline.dev/recreate": ["allowed"],
  "bowline.dev/adopt": ["true", "false"],
};

type Annotated = Pick<KubeObject, "metadata">;

/** A misspelt word must not be taken for permission, nor for none. */
export function settingProblem(object: KubeObject): string | undefined {
  const { metadata } = object;
  for (const [name, words] of Object.entries(settings)) {
    const given = metadata.annotations?.[name];
    if (given === undefined || words.includes(given)) continue;
    return `its annotation ${name} must be ${words.map((word) => `"${word}"`).join(" or ")}`;
  }
  return orderProblem(object);
}

export function pruneSetting({ metadata }: Annotated): "allowed" | "disabled" | undefined {
  const given = metadata.annotations?.["bowline.dev/prune"];
  return given === "allowed" || given === "disabled" ? given : undefined;
}

export function mayRecreate({ metadata }: Annotated): boolean {
  return metadata.annotations?.["bowline.dev/recreate"] === "allowed";
}

export function mayAdopt({ metadata }: Annotated): boolean {
  return metadata.annotations?.["bowline.dev/adopt"] === "true";
}
