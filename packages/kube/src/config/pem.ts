import type { PemSource } from "./cluster-connection.ts";
import { readTextFile } from "./read-text-file.ts";

export async function readPem(source: PemSource | undefined, what: string): Promise<string | undefined> {
  if (source === undefined) return undefined;
  return "pem" in source ? source.pem : readTextFile(source.file, what);
}
