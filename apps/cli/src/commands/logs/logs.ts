import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";
import { Option, type Command } from "commander";

import type { CommandContext } from "../../command/command-context.ts";
import { addExamples } from "../../command/command-set.ts";
import { CommandExit } from "../../command/failure.ts";
import { parseCount, parseDuration } from "../../command/shared-options.ts";
import {
  addClusterChoice,
  chooseClusters,
  type ClusterChoice,
  type InstanceCluster,
} from "../../workloads/instance-clusters.ts";
import { instanceName, instanceUsage } from "../../workloads/instance-name.ts";
import { LogFollower } from "./follow-logs.ts";
import { mergeByTime, type LogLine } from "./log-lines.ts";
import { findSources, openLog, type LogQuery, type LogSource, type SourceOptions } from "./log-source.ts";
import { LogWriter, type LogWriterOptions } from "./log-writer.ts";

export function addLogsCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("logs")
    .usage(`${instanceUsage} [FLAGS]`)
    .description(
      "Show the logs of all pods of a workload instance, merged by time, each line with the cluster, the pod and the container it is from. They come through the server, with the rights that your grants give you in the cluster.\n\nWith -f it goes on with what is written, also by pods that are started later, until Ctrl-C.",
    )
    .argument("<INSTANCE>", "The workload instance")
    .option("-f, --follow", "Go on to show what is written", false);
  addClusterChoice(command, { several: true })
    .option("-c, --container <NAME>", "Only containers of this name; also finds those that prepare a pod")
    .addOption(
      new Option("--since <DURATION>", "Only what was written in the last 10m, for example").argParser(
        parseDuration,
      ),
    )
    .option("--tail <COUNT>", "Only as many of the newest lines of each container", parseCount)
    .option("-p, --previous", "Of the containers that ran before those that run now", false)
    .option("--timestamps", "Begin each line with the time it was written", false)
    .option("--no-prefix", "Leave out where lines are from")
    .action((argument: string, options: LogsOptions) => showLogs(context, instanceName(argument), options));
  addExamples(command, [
    { does: "What a workload has written in the last ten minutes", run: "bowline logs wi/web --since 10m" },
    { does: "Follow it in all its clusters", run: "bowline logs wi/web -f --all-clusters --tail 10" },
    { does: "Why a container was started again", run: "bowline logs wi/web --cluster prod-eu-1 --previous" },
  ]);
}

interface LogsOptions extends ClusterChoice, SourceOptions, LogWriterOptions {
  readonly follow: boolean;
  /** In milliseconds. */
  readonly since?: number;
  readonly tail?: number;
}

/** Each is a connection, here and in the cluster. */
const maxLogs = 50;

export async function showLogs(context: CommandContext, name: string, options: LogsOptions): Promise<void> {
  if (options.follow && options.previous) {
    throw new BowlineError(
      "InvalidArgument",
      "A container that has ended writes nothing more: give -f or --previous.",
    );
  }
  const { signal, clock } = context;
  const client = await context.client();
  const clusters = await chooseClusters(client, name, { ...options, signal });
  const writer = new LogWriter(context, options);
  const finder = new SourceFinder(client, { clusters, options, writer, signal });
  const query: LogQuery = {
    previous: options.previous,
    tailLines: options.tail,
    // 0 would mean from the beginning.
    sinceSeconds: options.since === undefined ? undefined : Math.max(1, Math.ceil(options.since / 1000)),
  };
  const found = await finder.find();
  const sources = logsOf(found, { name, options, writer });
  const follower = new LogFollower({
    client,
    clock,
    signal,
    writer,
    find: () => finder.find(),
    query,
    maxLogs,
  });
  const failed = await showWritten(sources, { client, query, signal, writer, follower });
  if (options.follow) await follower.follow();
  if (failed > 0 || finder.hasFailed) throw new CommandExit(1);
}

interface FinderOptions {
  readonly clusters: readonly InstanceCluster[];
  readonly options: SourceOptions;
  readonly writer: LogWriter;
  readonly signal: AbortSignal;
}

/** Looks for containers in several clusters; one that cannot be reached is told once, and not in the way of others. */
class SourceFinder {
  readonly #client: Client;
  readonly #options: FinderOptions;
  readonly #problems = new Map<string, string>();

  constructor(client: Client, options: FinderOptions) {
    this.#client = client;
    this.#options = options;
  }

  get hasFailed(): boolean {
    return this.#problems.size > 0;
  }

  async find(): Promise<LogSource[]> {
    const found = await Promise.all(this.#options.clusters.map((cluster) => this.#findIn(cluster)));
    return found.flat();
  }

  async #findIn(cluster: InstanceCluster): Promise<LogSource[]> {
    const { options, signal, writer } = this.#options;
    try {
      const sources = await findSources(this.#client, cluster, { ...options, signal });
      this.#problems.delete(cluster.name);
      return sources;
    } catch (thrown) {
      signal.throwIfAborted();
      const { message } = BowlineError.from(thrown);
      if (this.#problems.get(cluster.name) !== message) writer.note(`error: ${cluster.name}: ${message}`);
      this.#problems.set(cluster.name, message);
      return [];
    }
  }
}

interface FoundOptions {
  readonly name: string;
  readonly options: LogsOptions;
  readonly writer: LogWriter;
}

/** Those that have a log; of the others it is told why. */
function logsOf(found: readonly LogSource[], { name, options, writer }: FoundOptions): LogSource[] {
  const sources = found.filter(({ container }) => container.id !== undefined);
  for (const { label, container } of found) {
    if (container.id !== undefined) continue;
    writer.note(`${label} has not started${container.reason === undefined ? "" : `: ${container.reason}`}`);
  }
  if (found.length === 0) {
    const which = options.container === undefined ? "pods" : `containers ${options.container}`;
    writer.note(
      options.previous ? "No container was started again." : `workloadinstance/${name} has no ${which} here.`,
    );
  }
  if (sources.length <= maxLogs || options.follow) return sources.slice(0, maxLogs);
  throw new BowlineError(
    "InvalidArgument",
    `There are ${sources.length} logs, and ${maxLogs} can be merged at once; choose some with --cluster or --container.`,
  );
}

interface ShowOptions {
  readonly client: Client;
  readonly query: LogQuery;
  readonly signal: AbortSignal;
  readonly writer: LogWriter;
  readonly follower: LogFollower;
}

/** Shows what there is; resolves to how many logs could not be read. */
async function showWritten(
  sources: readonly LogSource[],
  { client, query, signal, writer, follower }: ShowOptions,
): Promise<number> {
  let failed = 0;
  const linesOf = async function* (source: LogSource): AsyncGenerator<SourceLine, void, undefined> {
    try {
      for await (const line of openLog(client, source, { ...query, signal })) yield { ...line, source };
    } catch (thrown) {
      signal.throwIfAborted();
      failed += 1;
      writer.note(`error: ${source.label}: ${BowlineError.from(thrown).message}`);
    }
  };
  for await (const { source, ...line } of mergeByTime(sources.map(linesOf))) {
    writer.line(source, line);
    follower.shown(source, line);
  }
  return failed;
}

interface SourceLine extends LogLine {
  readonly source: LogSource;
}
