import { BowlineError, createLogger } from "@bowline/core";
import { ManualClock } from "@bowline/core/testing";

import type { ProviderWork, WantedCluster } from "../provider.ts";
import { MemoryRecords } from "./memory-records.ts";
import { MortalCalls } from "./mortal-calls.ts";

export interface TestWork extends ProviderWork {
  readonly clock: ManualClock;
}

/** The work of a provider on a cluster of the test, with a clock that is moved by hand. */
export function testWork(
  cluster: Partial<WantedCluster> & Pick<WantedCluster, "spec">,
  options: Partial<ProviderWork> & { readonly clock?: ManualClock } = {},
): TestWork {
  return {
    cluster: { id: "018f0000-0000-7000-8000-000000000001", name: "web", labels: {}, ...cluster },
    installation: "018f0000-0000-7000-8000-00000000000f",
    records: new MemoryRecords(),
    call: new MortalCalls().call,
    credential: (name) =>
      Promise.reject(new BowlineError("NotFound", `There is no Credential "${name}" in this test.`)),
    logger: createLogger({ name: "test", level: "silent" }),
    signal: new AbortController().signal,
    ...options,
    clock: options.clock ?? new ManualClock(),
  };
}
