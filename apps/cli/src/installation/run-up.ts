import type { Environment } from "../command/command-context.ts";
import { changeConfig } from "../connection/config-file.ts";
import { phaseNames, type PhaseName } from "./installation-state.ts";
import type { PhaseContext, Target } from "./target.ts";

export interface UpOptions {
  readonly target: Target;
  readonly context: PhaseContext;
  readonly environment: Environment;
  /** The phase to begin with; those before it are taken to be done. */
  readonly from: PhaseName;
  readonly onPhase: (event: PhaseEvent) => void;
}

export type PhaseEvent =
  | { readonly phase: string; readonly state: "begins" }
  | { readonly phase: string; readonly state: "done"; readonly detail: string; readonly tookMs: number }
  | { readonly phase: string; readonly state: "failed"; readonly tookMs: number };

/**
 * Runs the phases in their order. The state is written before each of them; nothing is torn down when one fails, and the
 * configuration of the command line is changed by the last one, when everything works.
 */
export async function runUp(options: UpOptions): Promise<void> {
  const { ledger, clock, signal } = options.context;
  const phases = phaseNames.slice(phaseNames.indexOf(options.from));
  const firstToMake = phases.find((phase) => phase !== "preflight");
  for (const phase of phases) {
    signal.throwIfAborted();
    // What preflight refuses is nothing to go on with.
    if (phase === firstToMake) await ledger.note({ target: options.target.record });
    await ledger.begin(phase);
    options.onPhase({ phase, state: "begins" });
    const startMs = clock.monotonicMs();
    const tookMs = (): number => clock.monotonicMs() - startMs;
    try {
      const detail =
        phase === "save" ? await save(options) : await options.target.phases[phase](options.context);
      await ledger.end(phase, "done", detail);
      options.onPhase({ phase, state: "done", detail, tookMs: tookMs() });
    } catch (error) {
      options.onPhase({ phase, state: "failed", tookMs: tookMs() });
      // A disk that is full cannot be told either.
      await ledger.end(phase, "failed", sentenceOf(error)).catch(() => undefined);
      throw error;
    }
  }
}

async function save({ target, context, environment }: UpOptions): Promise<string> {
  const { name } = context.ledger.state;
  const entry = await target.contextEntry(name, context);
  await context.ledger.intend([{ type: "context", id: name }]);
  await context.call("the configuration of the command line", () =>
    changeConfig(environment, (config) => {
      config.put(entry);
      config.currentContext = name;
    }),
  );
  await context.ledger.made({ type: "context", id: name }, { server: entry.server });
  return `the current context is now "${name}"`;
}

function sentenceOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
