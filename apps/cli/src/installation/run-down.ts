import type { Environment } from "../command/command-context.ts";
import { changeConfig, readConfig } from "../connection/config-file.ts";
import { requireNoClusters } from "./clusters-of-server.ts";
import type { StateFiles } from "./state-files.ts";
import type { PhaseContext, Removal, RemoveOptions, Target } from "./target.ts";

export interface DownOptions extends RemoveOptions {
  readonly target: Target;
  readonly context: PhaseContext;
  readonly environment: Environment;
  readonly files: StateFiles;
  /** Whether what cannot be looked at is taken for gone. */
  readonly forgets: boolean;
}

/**
 * Takes an installation away, then its context, then its state file: that one is the receipt, and stays for as long as
 * something may be left that nobody could look at.
 */
export async function runDown(options: DownOptions): Promise<Removal> {
  const { target, context, files } = options;
  const { name } = context.ledger.state;
  if (options.deleteData && options.isForced !== true) await requireOwnDataOnly(target, context);
  const removal = await target.remove(context, options);
  await removeContext(options);
  if (removal.unchecked.length === 0 || options.forgets) await files.remove(name);
  return removal;
}

/** With its database goes what the server knows of clusters that it has made. */
async function requireOwnDataOnly(target: Target, context: PhaseContext): Promise<void> {
  // In a cluster that was made for it, it can be asked only once there is a way into that.
  const isProvided = !["local", "kubernetes"].includes(target.record.type);
  if (isProvided || (await target.standing?.(context)) === "stopped") return;
  await requireNoClusters(target, context);
}

/** Only that of this installation: the name may be another server's by now. */
async function removeContext({ context, environment }: DownOptions): Promise<void> {
  const { state } = context.ledger;
  const id = state.name;
  const recorded = state.resources.find((each) => each.type === "context" && each.id === id);
  const server = recorded?.attributes?.["server"] ?? state.endpoints["server"];
  const entry = (await readConfig(environment)).context(id);
  if (entry !== undefined && recorded !== undefined && (server === undefined || entry.server === server)) {
    await context.call("the configuration of the command line", () =>
      changeConfig(environment, (config) => config.remove(id)),
    );
  }
  if (recorded !== undefined) await context.ledger.gone({ type: "context", id });
}
