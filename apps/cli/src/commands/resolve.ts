import { ConfigSource, WorkloadDefinition } from "@bowline/api";
import { BowlineError, withDeadline } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { followObjects } from "../resources/follow-objects.ts";
import { parseResources, requireObjectName, resourceName } from "../resources/resource.ts";

export function addResolveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("resolve")
    .usage("(DEFINITION | wd/DEFINITION | cs/SOURCE) [FLAGS]")
    .description(
      "Look for a new commit in the repository of a workload definition or a source of configuration, without waiting for its interval or a webhook, and say which it has. Exits with 1 when the source cannot be read or used; the last good commit stays then.",
    )
    .argument("<SOURCE>", "The workload definition, or cs/NAME for a source of configuration")
    .option("--no-wait", "Only ask for it")
    .addOption(timeoutOption("How long to wait for the look", "2m"))
    .action((argument: string, options: ResolveOptions) => resolve(context, sourceOf(argument), options));
  addExamples(command, [
    { does: "Take what was pushed just now", run: "bowline resolve wd/web" },
    {
      does: "And wait until it runs everywhere",
      run: "bowline resolve wd/web && bowline wait wi/web --for healthy",
    },
  ]);
}

interface ResolveOptions {
  readonly wait: boolean;
  readonly timeout: number;
}

type SourceKind = typeof ConfigSource | typeof WorkloadDefinition;

interface Source {
  readonly kind: SourceKind;
  readonly name: string;
}

/** A name alone is that of a definition. */
function sourceOf(argument: string): Source {
  if (!argument.includes("/")) return { kind: WorkloadDefinition, name: requireObjectName(argument) };
  const wanted = parseResources([argument]);
  const [only] = wanted.by === "name" ? wanted.resources : [];
  if (only?.kind === WorkloadDefinition) return { kind: WorkloadDefinition, name: only.name };
  if (only?.kind === ConfigSource) return { kind: ConfigSource, name: only.name };
  throw new BowlineError(
    "InvalidArgument",
    `«${argument.slice(0, 64)}» is no workload definition; give its name, wd/NAME, or cs/NAME.`,
  );
}

export async function resolve(
  context: CommandContext,
  source: Source,
  { wait, timeout }: ResolveOptions,
): Promise<void> {
  const { terminal, clock, signal } = context;
  const client = await context.client();
  const label = resourceName(source);
  const { status } = await client.resolveSource(source.kind, source.name, { signal });
  const { requestedAt = "" } = status.source ?? {};
  if (!wait) return terminal.out(`${label} will be looked at\n`);
  const answered = await withDeadline(
    (limited) => answerTo(context, { source, requestedAt, signal: limited }),
    {
      clock,
      limitMs: timeout,
      signal,
      onTimeout: () =>
        new BowlineError(
          "Timeout",
          `Nobody has looked at ${label} yet; is a server with controllers running?`,
        ),
    },
  );
  const upToDate = answered.status.conditions.find(({ type }) => type === "UpToDate");
  if (upToDate?.status !== "True") {
    const why = [upToDate?.reason ?? "Unknown", upToDate?.message ?? ""].map(printableLine).join(": ");
    throw new BowlineError("Conflict", `${label} is not up to date. ${why}`, { retryable: false });
  }
  terminal.out(`${label} is at commit ${endOf(answered.status)}\n`);
}

type SourceStatus = ConfigSource["status"] | WorkloadDefinition["status"];

/** What the look came to. */
function endOf(status: SourceStatus): string {
  if ("applied" in status && status.applied !== undefined) {
    const { commit, objects } = status.applied;
    return `${commit.slice(0, 12)}${signedBy(status.applied)}: ${objects} objects`;
  }
  const { revision } = "revision" in status ? status : {};
  const short = revision?.id.replace(/^sha256:/u, "").slice(0, 12) ?? "";
  return `${revision?.commit?.slice(0, 12) ?? ""}${signedBy(revision ?? {})}: revision ${short}`;
}

function signedBy({ signer }: { readonly signer?: string }): string {
  return signer === undefined ? "" : `, signed by ${printableLine(signer)}`;
}

interface Question {
  readonly source: Source;
  readonly requestedAt: string;
  readonly signal: AbortSignal;
}

/** The object as it is when a look has answered the request, or a later one. */
async function answerTo(
  context: CommandContext,
  { source, requestedAt, signal }: Question,
): Promise<{ readonly status: SourceStatus }> {
  const query = { fieldSelector: `metadata.name=${source.name}` };
  const client = await context.client();
  for await (const { changes } of followObjects(client, source.kind, { query, signal })) {
    for (const { type, object } of changes) {
      if (type === "DELETED") break;
      if ((object.status.source?.answeredAt ?? "") >= requestedAt) return object;
    }
  }
  throw new BowlineError("NotFound", `Somebody deleted ${resourceName(source)} in the meantime.`);
}
