import { generateKeyPairSync } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The files an API server is started with, and those it writes itself. */
export interface ApiServerFiles {
  readonly folder: string;
  /** The server makes itself a certificate here. */
  readonly certFolder: string;
  /** That certificate and the one that signed it. */
  readonly certPath: string;
  readonly tokenFilePath: string;
  /** Signs the tokens of service accounts. */
  readonly serviceAccountKeyPath: string;
  readonly kubeconfigPath: string;
}

export async function writeApiServerFiles(folder: string, tokenFile: string): Promise<ApiServerFiles> {
  const files = {
    folder,
    certFolder: join(folder, "certs"),
    certPath: join(folder, "certs", "apiserver.crt"),
    tokenFilePath: join(folder, "tokens.csv"),
    serviceAccountKeyPath: join(folder, "service-account.key"),
    kubeconfigPath: join(folder, "kubeconfig"),
  };
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  await mkdir(files.certFolder);
  await writeFile(files.tokenFilePath, tokenFile);
  await writeFile(files.serviceAccountKeyPath, privateKey.export({ type: "sec1", format: "pem" }));
  return files;
}
