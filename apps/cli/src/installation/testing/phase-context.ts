import { systemClock } from "@bowline/core";

import { Ledger } from "../ledger.ts";
import type { PhaseContext } from "../target.ts";

/** The context of a phase of a local installation whose state is kept nowhere. */
export function newPhaseContext(installation: string): PhaseContext {
  const state = {
    version: 1 as const,
    installation,
    name: "local",
    target: { type: "local" as const },
    phase: "install" as const,
    startedAt: "",
    steps: [],
    resources: [],
    provided: [],
    endpoints: {},
  };
  return {
    ledger: new Ledger({ state, write: async () => {}, now: () => 0 }),
    call: (_subject, call) => call(),
    clock: systemClock,
    signal: new AbortController().signal,
    progress: () => undefined,
  };
}
