import { WorkloadDefinition } from "@bowline/api";
import { BowlineError, withDeadline } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
import { followObjects } from "../resources/follow-objects.ts";
import { parseResources, requireObjectName } from "../resources/resource.ts";

export function addResolveCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("resolve")
    .usage("(DEFINITION | wd/DEFINITION) [FLAGS]")
    .description(
      "Look for a new commit in the repository of a workload definition, without waiting for its interval or a webhook, and say what it is resolved to. Exits with 1 when the source cannot be read or used; the last good revision stays then.",
    )
    .argument("<DEFINITION>", "The workload definition, which comes from git")
    .option("--no-wait", "Only ask for it")
    .addOption(timeoutOption("How long to wait for the look", "2m"))
    .action((argument: string, options: ResolveOptions) =>
      resolve(context, definitionName(argument), options),
    );
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

function definitionName(argument: string): string {
  if (!argument.includes("/")) return requireObjectName(argument);
  const wanted = parseResources([argument]);
  const [only] = wanted.by === "name" ? wanted.resources : [];
  if (only?.kind === WorkloadDefinition) return only.name;
  throw new BowlineError(
    "InvalidArgument",
    `«${argument.slice(0, 64)}» is no workload definition; give its name, or wd/NAME.`,
  );
}

export async function resolve(
  context: CommandContext,
  name: string,
  { wait, timeout }: ResolveOptions,
): Promise<void> {
  const { terminal, clock, signal } = context;
  const client = await context.client();
  const { status } = await client.resolveSource(name, { signal });
  const { requestedAt = "" } = status.source ?? {};
  if (!wait) return terminal.out(`workloaddefinition/${name} will be looked at\n`);
  const answered = await withDeadline(
    (limited) => answerTo(context, { name, requestedAt, signal: limited }),
    {
      clock,
      limitMs: timeout,
      signal,
      onTimeout: () =>
        new BowlineError(
          "Timeout",
          `Nobody has looked at workloaddefinition/${name} yet; is a server with controllers running?`,
        ),
    },
  );
  const upToDate = answered.status.conditions.find(({ type }) => type === "UpToDate");
  if (upToDate?.status !== "True") {
    const why = [upToDate?.reason ?? "Unknown", upToDate?.message ?? ""].map(printableLine).join(": ");
    throw new BowlineError("Conflict", `workloaddefinition/${name} is not up to date. ${why}`, {
      retryable: false,
    });
  }
  const { id = "", commit = "", signer } = answered.status.revision ?? {};
  const signed = signer === undefined ? "" : `, signed by ${printableLine(signer)}`;
  const short = id.replace(/^sha256:/u, "").slice(0, 12);
  terminal.out(
    `workloaddefinition/${name} is at commit ${commit.slice(0, 12)}${signed}: revision ${short}\n`,
  );
}

interface Question {
  readonly name: string;
  readonly requestedAt: string;
  readonly signal: AbortSignal;
}

/** The definition as it is when a look has answered the request, or a later one. */
async function answerTo(
  context: CommandContext,
  { name, requestedAt, signal }: Question,
): Promise<WorkloadDefinition> {
  const query = { fieldSelector: `metadata.name=${name}` };
  const client = await context.client();
  for await (const { changes } of followObjects(client, WorkloadDefinition, { query, signal })) {
    for (const { type, object } of changes) {
      if (type === "DELETED") break;
      if ((object.status.source?.answeredAt ?? "") >= requestedAt) return object;
    }
  }
  throw new BowlineError("NotFound", `Somebody deleted workloaddefinition/${name} in the meantime.`);
}
