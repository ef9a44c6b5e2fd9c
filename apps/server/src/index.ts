export { JetStreamBroker } from "./broker/jetstream/jetstream-broker.ts";
export { loadConfig, type ServerConfig } from "./config/server-config.ts";
export { objectController } from "./controllers/object-controller.ts";
export { startControllers, type RunningControllers } from "./controllers/start-controllers.ts";
/** @public For the benchmark of the graph. */
export { ClusterGraphs } from "./graph/cluster-graphs.ts";
export {
  newEncryptionKey,
  reencryptSecrets,
  rotateEncryptionKey,
  type Reencrypted,
} from "./maintenance/encryption-keys.ts";
export { migrationNames, withMigrator, type MaintenanceOptions } from "./maintenance/maintained-database.ts";
export { recoverAdmin, type RecoveredAdmin } from "./maintenance/recover-admin.ts";
export { examineDataFolder } from "./maintenance/examine-data-folder.ts";
export { readBackupHeader, restoreServer, verifyBackupFile } from "./maintenance/restore-server.ts";
export { startServer, type RunningServer } from "./run/start-server.ts";
