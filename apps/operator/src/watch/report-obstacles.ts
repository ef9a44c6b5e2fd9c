import type { BowlineError, Clock } from "@bowline/core";
import type { InformerState } from "@bowline/kube";
import type { ManagedInformer } from "@bowline/runtime";

export interface ReportObstaclesOptions {
  readonly clock: Clock;
  readonly onError: (error: BowlineError) => void;
}

/** Long enough that what passes by itself is not worth a word. */
const lookMs = 5_000;

/**
 * The informer, with somebody beside it who tells what is in its way, such as a right that is missing: it goes on trying
 * for ever, without a word. The same is told once.
 */
export function reportObstacles(
  informer: ManagedInformer & { state(): Pick<InformerState, "error"> },
  { clock, onError }: ReportObstaclesOptions,
): ManagedInformer {
  let told: string | undefined;
  let cancel = (): void => {};
  const lookLater = (): void => {
    cancel = clock.after(lookMs, () => {
      const { error } = informer.state();
      if (error !== undefined && error.message !== told) onError(error);
      told = error?.message;
      lookLater();
    });
  };
  return {
    start: () => {
      informer.start();
      lookLater();
    },
    synced: (signal) => informer.synced(signal),
    stop: async () => {
      cancel();
      await informer.stop();
    },
  };
}
