import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { findProgram } from "@bowline/test-services";

/** Before this version, kubectl speaks SPDY alone. */
const firstMinorVersion = 31;

/** The kubectl of this machine, if it is one that asks for a WebSocket before it falls back to SPDY. */
export async function findWebSocketKubectl(): Promise<string | undefined> {
  const program = await findProgram({ program: "kubectl", debianPackage: "kubernetes-client" });
  if (program === undefined) return undefined;
  const version = await promisify(execFile)(program, ["version", "--client", "-o", "json"]);
  const { clientVersion } = JSON.parse(version.stdout) as { clientVersion: { minor: string } };
  return Number.parseInt(clientVersion.minor, 10) >= firstMinorVersion ? program : undefined;
}
