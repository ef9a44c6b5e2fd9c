import type { ResourceRecord, ResourceRecords } from "@bowline/providers";

import type { Ledger } from "../ledger.ts";

/** What a provider remembers, in the state file of the installation. */
export class LedgerRecords implements ResourceRecords {
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  list(): Promise<readonly ResourceRecord[]> {
    return Promise.resolve(this.#ledger.state.provided);
  }

  put(record: ResourceRecord): Promise<void> {
    return this.#ledger.provide(record);
  }
}
