import { join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { storeContract } from "./testing/store-contract.ts";

storeContract("SQLite in memory", {
  newDatabase: () => Promise.resolve({ type: "sqlite", file: ":memory:" }),
  canReopen: false,
  canShare: false,
});

storeContract("SQLite in a file", {
  async newDatabase() {
    const folder = await createTempFolder("store");
    onTestFinished(() => folder[Symbol.asyncDispose]());
    return { type: "sqlite", file: join(folder.path, "bowline.db") };
  },
  canReopen: true,
  canShare: false,
});
