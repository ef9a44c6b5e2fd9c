export {
  aptGetCommand,
  installDebianPackages,
  whyNoDebianInstall,
  type AptOptions,
} from "./debian-packages.ts";
export { findProgram, missingPrograms, type RequiredProgram } from "./find-program.ts";
export { freePort } from "./free-port.ts";
export { installMissingPrograms } from "./install-missing-programs.ts";
export { ManagedProcess, type ManagedProcessOptions } from "./managed-process.ts";
export { startNats, type NatsOptions, type NatsServer } from "./nats.ts";
export { startPostgres, type PostgresOptions, type PostgresServer } from "./postgres.ts";
export { descendantPids, livingPids } from "./process-tree.ts";
export { reapOnExit } from "./reaper.ts";
export type { Leftover } from "./reaper-order.ts";
export { requireProgram } from "./require-program.ts";
export { runCommand, type RunCommandOptions } from "./run-command.ts";
export { elapsedText, showStep, stepLine, type ProgressOutput } from "./step-progress.ts";
export { createTempFolder, type TempFolder } from "./temp-folder.ts";
export { FaultyNetwork } from "./faulty-network.ts";
