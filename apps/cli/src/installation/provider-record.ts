import { isRecord } from "@bowline/core";
import type { ResourceRecord } from "@bowline/providers";

const states = ["intended", "created", "ready", "deleting", "gone"] as const;

/** A record of a provider as the state file has it; nothing where it does not say enough to find anything by it. */
export function providerRecordOf(value: Readonly<Record<string, unknown>>): ResourceRecord[] {
  const { step, type, region, attempt, token, intentAtMs, id, attributes, seenAtMs, missedAtMs } = value;
  const state = states.find((each) => each === value["state"]);
  if (typeof step !== "string" || typeof type !== "string" || typeof token !== "string") return [];
  if (state === undefined || typeof attempt !== "number") return [];
  return [
    {
      step,
      type,
      attempt,
      token,
      state,
      intentAtMs: typeof intentAtMs === "number" ? intentAtMs : 0,
      attributes: isRecord(attributes) ? attributes : {},
      ...(typeof region === "string" ? { region } : {}),
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof seenAtMs === "number" ? { seenAtMs } : {}),
      ...(typeof missedAtMs === "number" ? { missedAtMs } : {}),
    },
  ];
}
