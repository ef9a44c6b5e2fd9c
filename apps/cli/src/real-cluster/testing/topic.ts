import type { Stage } from "./stage.ts";

/** Registers the tests of one topic. The stage is open only once they run, hence the function. */
export type Topic = (stage: () => Stage) => void;
