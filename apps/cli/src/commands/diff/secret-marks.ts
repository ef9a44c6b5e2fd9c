import { joinSecrets, splitSecrets, type ApiObject, type Secrets } from "@bowline/api";
import type { Client } from "@bowline/client";
import { BowlineError } from "@bowline/core";

import type { Manifest } from "../../manifests/manifest.ts";

/** What stands in a diff in the place of secret fields, by path. */
interface SecretMarks {
  readonly before: Secrets;
  readonly after: Secrets;
}

interface Turn {
  readonly current: ApiObject | undefined;
  readonly signal: AbortSignal;
}

/** Tells whether a manifest would change secrets; their values are shown neither by the server nor by us. */
export async function secretMarks(client: Client, manifest: Manifest, turn: Turn): Promise<SecretMarks> {
  const { secrets } = splitSecrets<object>(manifest.kind, Object(manifest.body["spec"] ?? {}));
  const paths = Object.keys(secrets);
  if (paths.length === 0) return { before: {}, after: {} };
  const before = marked(paths, "(secret)");
  if (turn.current === undefined) return { before: {}, after: before };
  const isSame = await areSame(client, manifest, { ...turn, current: turn.current, secrets });
  return { before, after: isSame ? before : marked(paths, "(secret, changed)") };
}

interface Probe {
  readonly current: ApiObject;
  readonly secrets: Secrets;
  readonly signal: AbortSignal;
}

/** Asks what would happen to the object as it is, if only its secrets were those of the manifest. */
async function areSame(client: Client, { kind, name }: Manifest, probe: Probe): Promise<boolean> {
  const { labels, annotations } = probe.current.metadata;
  const body = {
    metadata: { name, labels, annotations },
    spec: joinSecrets(kind, probe.current.spec, probe.secrets),
  };
  try {
    const { outcome } = await client.apply(kind, name, body, { dryRun: true, signal: probe.signal });
    return outcome === "unchanged";
  } catch (thrown) {
    // Secrets that do not fit the object as it is cannot be those it has.
    if (thrown instanceof BowlineError && thrown.code === "Invalid") return false;
    throw thrown;
  }
}

function marked(paths: readonly string[], mark: string): Secrets {
  return Object.fromEntries(paths.map((path) => [path, mark]));
}
