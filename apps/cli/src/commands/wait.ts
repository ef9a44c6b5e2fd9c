import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { listObjects } from "../resources/find-objects.ts";
import { parseResources, resourceUsage, resourceName, type Resource } from "../resources/resource.ts";
import {
  addSelectOptions,
  hasSelector,
  refuseSelectorWithNames,
  sayWhichObjects,
  selectQuery,
  type SelectOptions,
} from "../resources/select-options.ts";
import { parseWaitCondition, waitForObject, type WaitCondition } from "../resources/wait-for-object.ts";

export function addWaitCommand(program: Command, context: CommandContext): void {
  const command = program
    .command("wait")
    .usage(`${resourceUsage} --for CONDITION [FLAGS]`)
    .description(
      "Wait until objects are in a state. With several, until each of them has been in it. Exits with 1 when the time is over, and says how things stand.",
    )
    .argument("[resources...]", "KIND NAME, KIND/NAME, or KIND with -l or --all")
    .requiredOption(
      "--for <CONDITION>",
      "condition=TYPE, condition=TYPE=STATUS, delete, or FIELD=VALUE as for --field-selector",
    )
    .addOption(timeoutOption("How long to wait for all of them together; 0 to look once", "30s"))
    .option("--all", "Wait for every object of the kind", false);
  addSelectOptions(command).action((args: string[], options: WaitOptions) =>
    waitForAll(context, args, options),
  );
  addExamples(command, [
    {
      does: "Until a cluster can be worked with",
      run: "bowline wait cluster/prod-eu-1 --for condition=Ready",
    },
    {
      does: "Until nothing of production is deployed any more",
      run: "bowline wait workloadinstances -l env=prod --for delete --timeout 10m",
    },
    {
      does: "Until a cluster runs in another region",
      run: "bowline wait cluster prod-eu-1 --for spec.region=eu-west-1",
    },
  ]);
}

interface WaitOptions extends SelectOptions {
  readonly for: string;
  readonly timeout: number;
  readonly all: boolean;
}

/** Waits for one object after the other; what has been met once counts, even if it changes again meanwhile. */
async function waitForAll(
  context: CommandContext,
  args: readonly string[],
  options: WaitOptions,
): Promise<void> {
  const { clock, terminal, signal } = context;
  const startedMs = clock.monotonicMs();
  const waits = await plannedWaits(context, args, options);
  for (const { resource, condition } of waits) {
    const name = resourceName(resource);
    const leftMs = Math.max(0, options.timeout - (clock.monotonicMs() - startedMs));
    await waitForObject(resource, condition, {
      client: await context.client(),
      clock,
      signal,
      timeoutMs: leftMs,
      onState: (state) => {
        if (terminal.errorIsTty) terminal.error(`Waiting for ${name}: ${state}\n`);
      },
    });
    terminal.out(`${name} ${condition.for === "deletion" ? "deleted" : "condition met"}\n`);
  }
}

interface PlannedWait {
  readonly resource: Resource;
  readonly condition: WaitCondition;
}

async function plannedWaits(
  context: CommandContext,
  args: readonly string[],
  options: WaitOptions,
): Promise<PlannedWait[]> {
  const wanted = parseResources(args);
  if (wanted.by === "name") {
    refuseSelectorWithNames(options);
    return wanted.resources.map((resource) => ({
      resource,
      condition: parseWaitCondition(resource.kind, options.for),
    }));
  }
  if (!options.all && !hasSelector(options)) {
    throw sayWhichObjects();
  }
  const chosen = wanted.kinds.map((kind) => ({
    kind,
    condition: parseWaitCondition(kind, options.for),
    query: selectQuery(kind, options),
  }));
  const client = await context.client();
  const waits: PlannedWait[] = [];
  for (const { kind, condition, query } of chosen) {
    const { objects } = await listObjects(client, kind, { query, signal: context.signal });
    for (const { object } of objects)
      waits.push({ resource: { kind, name: object.metadata.name }, condition });
  }
  // An object that is to be deleted and is not there has been deleted; any other that is not there is a mistake.
  if (waits.length === 0 && options.for !== "delete") {
    throw new BowlineError("NotFound", "There is nothing to wait for: no object matches.");
  }
  return waits;
}
