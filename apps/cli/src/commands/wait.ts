import { WorkloadInstance, type Kind } from "@bowline/api";
import { BowlineError } from "@bowline/core";
import type { Command } from "commander";

import type { CommandContext } from "../command/command-context.ts";
import { addExamples } from "../command/command-set.ts";
import { timeoutOption } from "../command/shared-options.ts";
import { printableLine } from "../output/terminal-text.ts";
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
import {
  isForDeletion,
  parseWaitCondition,
  waitForObject,
  type WaitCondition,
} from "../resources/wait-for-object.ts";
import { waitForRollout, type WaitForRolloutOptions } from "../workloads/follow-rollout.ts";

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
      "condition=TYPE, condition=TYPE=STATUS, healthy, delete, or FIELD=VALUE as for --field-selector",
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
      does: "Until a workload runs in all its clusters as its definition says now",
      run: "bowline wait wi/web --for healthy --timeout 5m",
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
export async function waitForAll(
  context: CommandContext,
  args: readonly string[],
  options: WaitOptions,
): Promise<void> {
  const { clock, terminal, signal } = context;
  const startedMs = clock.monotonicMs();
  const waits = await plannedWaits(context, args, options);
  for (const { resource, condition } of waits) {
    const name = resourceName(resource);
    const waiting = {
      client: await context.client(),
      clock,
      signal,
      timeoutMs: Math.max(0, options.timeout - (clock.monotonicMs() - startedMs)),
    };
    const onState = (state: string): void => {
      if (terminal.errorIsTty) terminal.error(`Waiting for ${name}: ${state}\n`);
    };
    if (condition.for === "rollout") await waitUntilHealthy(resource.name, { ...waiting, onState });
    else await waitForObject(resource, condition, { ...waiting, onState });
    terminal.out(`${name} ${condition.for === "deletion" ? "deleted" : "condition met"}\n`);
  }
}

/** An instance is healthy when its definition, as it is now, is applied and healthy in every cluster. */
async function waitUntilHealthy(
  name: string,
  {
    onState,
    ...options
  }: Omit<WaitForRolloutOptions, "untilStuck"> & { readonly onState: (state: string) => void },
): Promise<void> {
  let last = "";
  await waitForRollout(name, {
    ...options,
    // Others may be about to do what it needs, as where somebody has been asked to approve it.
    untilStuck: false,
    onChange: (_rollout, { state, reason, message }) => {
      const told = printableLine(`${reason}, ${message}`);
      if (state !== "ready" && told !== last) onState(told);
      last = told;
    },
  });
}

interface PlannedWait {
  readonly resource: Resource;
  readonly condition: WaitCondition | { readonly for: "rollout" };
}

function conditionFor(kind: Kind, text: string): PlannedWait["condition"] {
  return kind === WorkloadInstance && text === "healthy"
    ? { for: "rollout" }
    : parseWaitCondition(kind, text);
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
      condition: conditionFor(resource.kind, options.for),
    }));
  }
  if (!options.all && !hasSelector(options)) {
    throw sayWhichObjects();
  }
  const chosen = wanted.kinds.map((kind) => ({
    kind,
    condition: conditionFor(kind, options.for),
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
  if (waits.length === 0 && !isForDeletion(options.for)) {
    throw new BowlineError("NotFound", "There is nothing to wait for: no object matches.");
  }
  return waits;
}
