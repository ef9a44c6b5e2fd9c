/**
 * Fills a database with Clusters before a server is started on it: `fill-process.ts SQLITE_FILE|POSTGRES_URL`. They are
 * as the controller leaves them, so that the server finds nothing to do.
 */
import { randomBytes } from "node:crypto";

import { Cluster, type StatusOf } from "@bowline/api";
import { openStore } from "@bowline/store";

import { answerCommands } from "../measure-process.ts";
import { benchCluster } from "./bench-cluster.ts";
import { databaseAt } from "./database-at.ts";

/** Enough to be committed together, few enough to be forgotten soon. */
const atOnce = 1000;

answerCommands({
  fill: async ({ count, status }: { readonly count: number; readonly status: StatusOf<typeof Cluster> }) => {
    const database = databaseAt(process.argv[2] ?? "");
    const store = await openStore({ database, encryptionKeys: [{ id: "bench", key: randomBytes(32) }] });
    for (let from = 0; from < count; from += atOnce) {
      const create = (_: unknown, offset: number): Promise<unknown> =>
        store.objects.create(Cluster, { ...benchCluster(from + offset), status });
      await Promise.all(Array.from({ length: Math.min(atOnce, count - from) }, create));
    }
    await store.close();
  },
});
