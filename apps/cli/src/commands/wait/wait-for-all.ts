import { BowlineError } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { listObjects } from "../../resources/find-objects.ts";
import { parseResources } from "../../resources/parse-resources.ts";
import { resourceName, type Resource } from "../../resources/resource.ts";
import {
  hasSelector,
  refuseSelectorWithNames,
  selectQuery,
  type SelectOptions,
} from "../../resources/select-options.ts";
import { parseWaitCondition, type WaitCondition } from "./wait-condition.ts";
import { waitForObject } from "./wait-for-object.ts";

export interface WaitOptions extends SelectOptions {
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
    throw new BowlineError("InvalidArgument", "Say which objects: by name, with -l, or --all of them.");
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
  // What is to be deleted and is not there has been deleted; anything else that is not there is a mistake.
  if (waits.length === 0 && options.for !== "delete") {
    throw new BowlineError("NotFound", "There is nothing to wait for: no object matches.");
  }
  return waits;
}
