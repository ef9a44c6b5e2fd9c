import { createLogger } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";

/** Runs the operator until the process is told to stop; fails when it cannot start, go on or stop cleanly. */
export async function runOperator(
  context: CommandContext,
  flags: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const { terminal, environment, clock, random, signal, version } = context;
  const { loadOperatorConfig, startOperator } = await import("@bowline/operator");
  const config = loadOperatorConfig({ flags, environment });
  const logger = createLogger({ name: "operator", level: config.logLevel });
  const operator = await startOperator(config, { clock, random, logger, signal, version, ownsProcess: true });
  terminal.out(`Bowline ${version} is the monitoring operator of the cluster ${operator.clusterName}
  Health  http://${operator.healthAddress}/readyz
`);
  await operator.ended;
}
