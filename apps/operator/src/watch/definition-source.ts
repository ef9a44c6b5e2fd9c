import type { InformerHandler, InformerState } from "@bowline/kube";
import type { ManagedInformer } from "@bowline/runtime";

import type { Definition } from "./definition.ts";

/** Tells which kinds are installed. */
export interface DefinitionSource extends ManagedInformer {
  /** What is in the way of knowing. */
  state(): Pick<InformerState, "error">;
  addHandler(handler: InformerHandler<Definition>): { remove(): void };
}
