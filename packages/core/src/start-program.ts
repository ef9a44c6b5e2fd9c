import type { Logger } from "./logger.ts";
import type { Shutdown } from "./shutdown.ts";

export interface StartProgramOptions {
  /** What is opened is added to it. */
  readonly shutdown: Shutdown;
  /** Stops the program, also while it starts. */
  readonly signal?: AbortSignal | undefined;
  readonly logger: Pick<Logger, "error">;
}

/** Opens a program. When that fails, or is given up, everything it has opened is closed again. */
export async function startProgram<T>(
  { shutdown, signal, logger }: StartProgramOptions,
  open: () => Promise<T>,
): Promise<T> {
  const stop = (): void => void shutdown.run("it was told to stop").catch(() => {});
  try {
    signal?.throwIfAborted();
    signal?.addEventListener("abort", stop, { once: true });
    shutdown.add("the signal", () => signal?.removeEventListener("abort", stop));
    return await open();
  } catch (error) {
    await shutdown.run("it could not start").catch((problem: unknown) => {
      logger.error({ err: problem }, "Not everything could be closed");
    });
    throw signal?.aborted === true ? signal.reason : error;
  }
}
