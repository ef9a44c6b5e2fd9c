import type { ManualClock } from "@bowline/core/testing";
import type { Controller } from "@bowline/runtime";

/** The database takes a few turns of the event loop, in which no timer may seem to be all that is left. */
const turns = 20;

/** Resolves when the controller has done what can be done without time passing. */
export async function settled(controller: Controller, clock: ManualClock): Promise<void> {
  do for (let turn = 0; turn < turns; turn += 1) await clock.settle();
  while (isBusy(controller));
}

function isBusy(controller: Controller): boolean {
  const { queue, deliveries } = controller.state();
  return queue.ready + queue.active + (deliveries?.held ?? 0) > 0;
}
