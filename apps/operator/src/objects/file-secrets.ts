import type { MetricsAgent } from "../api/metrics-agent.ts";
import { objectNames } from "./agent-names.ts";
import { packSecrets, type Secret } from "./pack-secrets.ts";

/** The certificates and keys that the configuration names as files, by their names. */
export type Files = ReadonlyMap<string, Buffer>;

/** Copies into the agent's namespace: a pod can mount no Secret of another one. */
export function fileSecrets(agent: MetricsAgent, files: Files): Secret[] {
  const entries = [...files].map(([key, bytes]) => ({ key, bytes })).sort((a, b) => (a.key < b.key ? -1 : 1));
  return packSecrets(agent, entries, objectNames.files);
}
