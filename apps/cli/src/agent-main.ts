/**
 * `bowline agent` alone, for those forms in which it is shipped as one text with its compiled code: where the code fits
 * this Node, `main.ts` runs it in place of all commands.
 */
import { loadAgentCommand } from "./commands/agent.ts";
import { runProcess } from "./run-process.ts";

/** @public Read by `main.ts` from the bundle. */
export const exitCode = runProcess(process, {
  commands: [{ name: "agent", group: "run", summary: "Run the agent of a cluster", load: loadAgentCommand }],
  examples: [],
});
