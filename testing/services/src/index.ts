export { bowlineCacheFolder, buildOnce } from "./build/build-once.ts";
export { findGo, goBuildEnvironment } from "./build/go-program.ts";
export type { BuildFolders, BuildStep, CommandStep } from "./build/run-build.ts";
export { aptGetCommand, installDebianPackages, whyNoDebianInstall } from "./debian-packages.ts";
export { findProgram, missingPrograms, type RequiredProgram } from "./find-program.ts";
export { freePort } from "./free-port.ts";
export { helmTest, kindTest } from "./go-programs.ts";
export { installMissingPrograms } from "./install-missing-programs.ts";
export { ManagedProcess, type ManagedProcessOptions } from "./managed-process.ts";
export { motoTest, startMoto, type MotoServer } from "./moto/moto.ts";
export { neo4jTest, startNeo4j, type Neo4jServer } from "./neo4j/neo4j.ts";
export { startNats, type NatsServer } from "./nats.ts";
export { startPostgres, type PostgresOptions, type PostgresServer } from "./postgres.ts";
export { startPrometheus } from "./prometheus.ts";
export { descendantPids, livingPids } from "./process-tree.ts";
export { reapOnExit } from "./reaper.ts";
export { requireProgram } from "./require-program.ts";
export { runCommand } from "./run-command.ts";
export {
  chromiumProgram,
  namedProgram,
  natsProgram,
  nginxProgram,
  nsupdateProgram,
  postgresProgram,
} from "./test-programs.ts";
export { showStep, type ProgressOutput } from "./step-progress.ts";
export { createTempFolder, type TempFolder } from "./temp-folder.ts";
export { FaultyNetwork } from "./faulty-network.ts";
