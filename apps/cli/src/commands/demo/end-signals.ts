import type { Clock } from "@bowline/core";

import type { Environment } from "../../command/command-context.ts";

const lookEveryMs = 500;

/**
 * Ends this process by SIGTERM where nobody else would: when its terminal is closed, and when it was started by npm and
 * npm was ended. The shell between the two does not pass signals on.
 */
export class EndSignals implements Disposable {
  readonly #clock: Clock;
  readonly #parent = process.ppid;
  readonly #end = (): void => void process.kill(process.pid, "SIGTERM");
  #cancel: (() => void) | undefined;

  constructor(clock: Clock, environment: Environment) {
    this.#clock = clock;
    process.once("SIGHUP", this.#end);
    if (environment["npm_lifecycle_event"] !== undefined) this.#lookLater();
  }

  [Symbol.dispose](): void {
    process.off("SIGHUP", this.#end);
    this.#cancel?.();
  }

  #lookLater(): void {
    this.#cancel = this.#clock.after(lookEveryMs, () => {
      if (process.ppid === this.#parent) this.#lookLater();
      else this.#end();
    });
  }
}
