import type { RunningTarget } from "../target.ts";
import type { Kubectl } from "./kubectl.ts";

export const protobufOnly =
  "this kubectl sends protobuf, which the server does not read; Debian's kubectl sends JSON";

/** From 1.31 on `kubectl create KIND` and `kubectl auth` send protobuf and nothing else. */
export async function isLost(kubectl: Kubectl, cluster: RunningTarget): Promise<boolean> {
  return !cluster.readsProtobuf && (await kubectl.minorVersion()) >= 31;
}
