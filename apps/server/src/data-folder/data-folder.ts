import { accessSync, constants } from "node:fs";
import { join } from "node:path";

import { BowlineError, makeFolder } from "@bowline/core";

/** Where things are in the data folder. */
export interface DataFolder {
  readonly path: string;
  readonly database: string;
  readonly encryptionKeys: string;
  readonly adminToken: string;
  /** The CA that signed the server's certificate, for clients. */
  readonly caCertificate: string;
  /** The server's own certificate and its key, in one file so that they are always a pair. */
  readonly servingCertificate: string;
  /** The same for what other replicas are shown. */
  readonly replicaCertificate: string;
}

/** Whether it is there or not. */
export function dataFolderAt(path: string): DataFolder {
  return {
    path,
    database: join(path, "bowline.db"),
    encryptionKeys: join(path, "encryption.keys"),
    adminToken: join(path, "admin.token"),
    caCertificate: join(path, "tls", "ca.crt"),
    servingCertificate: join(path, "tls", "server.pem"),
    replicaCertificate: join(path, "tls", "replica.pem"),
  };
}

/** Makes the folder, for its owner only, if it is missing. `InvalidArgument` when the server could not write in it. */
export function openDataFolder(path: string): DataFolder {
  try {
    makeFolder(join(path, "tls"));
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new BowlineError(
      "InvalidArgument",
      `The server cannot write in its data folder ${path}; give it one that its user owns with --data or BOWLINE_DATA.`,
      { cause: error },
    );
  }
  return dataFolderAt(path);
}
