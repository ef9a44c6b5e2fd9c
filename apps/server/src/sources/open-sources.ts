import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

import { makeFolder, type Clock, type Logger, type Metrics, type Random } from "@bowline/core";
import { GitCache, RefClient } from "@bowline/git";
import { RenderPool, RenderTools, type ToolName } from "@bowline/render";
import type { Store } from "@bowline/store";

import { messageOf, type Broker } from "../broker/broker.ts";
import { leaseHolder } from "../controllers/lease-holder.ts";
import { FetchMetrics } from "./git-metrics.ts";
import { GitReader } from "./git-reader.ts";
import { RepositoryPoller } from "./repository-poller.ts";
import { SourceResolver } from "./resolve-source.ts";
import { SharedRefs } from "./shared-refs.ts";
import { SourceRenderer } from "./source-renderer.ts";

export interface SourcesOptions {
  /** The data folder. */
  readonly folder: string;
  /** The renderers that may be run. */
  readonly renderers: readonly ToolName[];
  readonly store: Store;
  readonly metrics: Metrics;
  /** Names this process among the replicas. */
  readonly owner: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** What reads repositories and renders their files. */
export interface Sources {
  readonly resolver: SourceResolver;
  readonly reader: GitReader;
  /** Where YAML is read. */
  readonly pool: RenderPool;
  /** Looks for new commits from then on, and wakes controllers through the broker. */
  poll(broker: Pick<Broker, "publish">): Promise<void>;
  /** Ends whatever goes on, and removes what nobody else can use. */
  close(): Promise<void>;
}

/** Nothing is started before it is needed. */
export function openSources(options: SourcesOptions): Sources {
  const { store, metrics, owner, clock, random, logger } = options;
  const folder = workFolder(options);
  // Servers and programs are waited for in their own time, whatever the clock of a test says.
  const client = new RefClient({ folder });
  const refs = new SharedRefs(client, clock);
  const fetches = new FetchMetrics(metrics);
  const cache = new GitCache({ folder, onFetch: (figures) => fetches.fetched(figures) });
  const reader = new GitReader({ refs, cache, objects: store.objects });
  const temporaryFolder = join(folder, "render");
  // What a killed process was rendering is of no use.
  rmSync(temporaryFolder, { recursive: true, force: true });
  makeFolder(temporaryFolder);
  const searchPath = process.env["PATH"] ?? "";
  const tools = new RenderTools({ searchPath, allow: options.renderers, temporaryFolder });
  const pool = new RenderPool();
  const renderer = new SourceRenderer({ tools, pool, metrics, clock });
  let poller: RepositoryPoller | undefined;
  return {
    resolver: new SourceResolver({ reader, renderer, store }),
    reader,
    pool,
    async poll(broker) {
      let told = 0;
      poller = new RepositoryPoller({
        store,
        refs,
        leads: leaseHolder(store, { key: "git", owner, clock }),
        wake: (followers) =>
          broker.publish(
            followers.map(({ kind, name }) => {
              told += 1;
              return messageOf({ kind, name, generation: 0 }, `git/${owner}/${told}`);
            }),
          ),
        metrics,
        clock,
        random,
        logger,
      });
      await poller.start();
    },
    async close() {
      refs.close();
      await poller?.close();
      await client.close();
      await pool[Symbol.asyncDispose]();
      if (store.use === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The folder of the cache, which belongs to one process. Where a database is shared, a data folder may be too: each
 * process has its own then, and those of processes that are gone are removed.
 */
function workFolder({ folder, store }: SourcesOptions): string {
  if (store.use !== undefined) return join(folder, "git");
  for (const name of readdirSync(folder)) {
    const [, pid] = /^git-(\d+)$/u.exec(name) ?? [];
    if (pid !== undefined && Number(pid) !== process.pid && !isRunning(Number(pid))) {
      rmSync(join(folder, name), { recursive: true, force: true });
    }
  }
  return join(folder, `git-${process.pid}`);
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}
