import { describe } from "vitest";

import { agentsContract } from "./contract/agents.ts";
import { changesContract } from "./contract/changes.ts";
import { concurrencyContract } from "./contract/concurrency.ts";
import { deletingContract } from "./contract/deleting.ts";
import { dryRunsContract } from "./contract/dry-runs.ts";
import { exclusiveContract } from "./contract/exclusive.ts";
import { graphContract } from "./contract/graph.ts";
import { graphModelContract } from "./contract/graph-model.ts";
import { installationContract } from "./contract/installation.ts";
import { inventoryModelContract } from "./contract/inventory-model.ts";
import { inventoryContract } from "./contract/inventory.ts";
import { keepingOneContract } from "./contract/keeping-one.ts";
import { leasesContract } from "./contract/leases.ts";
import { listingContract } from "./contract/listing.ts";
import { openingContract } from "./contract/opening.ts";
import { owningContract } from "./contract/owning.ts";
import { providerResourcesContract } from "./contract/provider-resources.ts";
import { recordsContract } from "./contract/records.ts";
import { reportChangesContract } from "./contract/report-changes.ts";
import { reportsContract } from "./contract/reports.ts";
import { clusterEventsContract } from "./contract/cluster-events.ts";
import { revisionsContract } from "./contract/revisions.ts";
import { secretsContract } from "./contract/secrets.ts";
import { viewsContract } from "./contract/views.ts";
import { writingAllContract } from "./contract/writing-all.ts";
import { writingContract } from "./contract/writing.ts";
import type { StoreHarness } from "./store-harness.ts";

/** The contract of a store, on any database. */
export function storeContract(name: string, harness: StoreHarness): void {
  describe(`The store on ${name}`, () => {
    openingContract(harness);
    writingContract(harness);
    writingAllContract(harness);
    deletingContract(harness);
    owningContract(harness);
    dryRunsContract(harness);
    keepingOneContract(harness);
    exclusiveContract(harness);
    listingContract(harness);
    changesContract(harness);
    secretsContract(harness);
    recordsContract(harness);
    leasesContract(harness);
    installationContract(harness);
    agentsContract(harness);
    revisionsContract(harness);
    inventoryContract(harness);
    inventoryModelContract(harness);
    providerResourcesContract(harness);
    reportsContract(harness);
    clusterEventsContract(harness);
    graphContract(harness);
    graphModelContract(harness);
    viewsContract(harness);
    reportChangesContract(harness);
    concurrencyContract(harness);
  });
}
