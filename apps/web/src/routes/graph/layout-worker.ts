import ELK, { type ELK as LayoutProgram } from "elkjs/lib/elk-api.js";
import elkWorker from "elkjs/lib/elk-worker.min.js?url";

import { layoutInput, layoutOutput, type Positions } from "../../graph/layout.ts";
import type { Picture } from "../../graph/picture.ts";
import { trustedWorker } from "../../live/trusted-worker.ts";

/** Starting the program takes longer than most layouts: it is kept for a while after the last one. */
const idleMs = 60_000;

/**
 * Lays pictures out beside the page. The program in the worker is a file of its own, unchanged; `elk-notice.txt` beside
 * it says whose it is.
 */
class LayoutWorker {
  #program: LayoutProgram | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** Resolves to where nodes go. */
  async layout(picture: Picture, groups: ReadonlyMap<string, string>): Promise<Positions> {
    clearTimeout(this.#idle);
    this.#program ??= new ELK({
      algorithms: ["layered"],
      workerFactory: () => new Worker(trustedWorker(elkWorker), { name: "bowline-layout" }),
    });
    try {
      return layoutOutput(await this.#program.layout(layoutInput(picture, groups)));
    } finally {
      clearTimeout(this.#idle);
      this.#idle = setTimeout(() => this.#close(), idleMs);
    }
  }

  #close(): void {
    this.#program?.terminateWorker();
    this.#program = undefined;
  }
}

/** One for all pictures of the page. */
export const layoutWorker: Pick<LayoutWorker, "layout"> = new LayoutWorker();
