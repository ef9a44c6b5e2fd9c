import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { WorkloadPlacement, type AccessGrant, type SpecOf } from "@bowline/api";
import { createClient, type Client } from "@bowline/client";
import { createTempFolder } from "@bowline/test-services";
import { onTestFinished } from "vitest";

import { runBowline, type Ran, type RunBowlineOptions } from "../../testing/run-bowline.ts";
import { clusterName } from "./people.ts";
import type { Stage } from "./stage.ts";

/** Somebody who may write workloads, and what a grant gives them in the cluster. */
export interface Editor {
  readonly name: string;
  readonly client: Client;
  /** Runs `bowline` as them, to its end, however that is. */
  readonly tried: (args: readonly string[], stdin?: string) => Promise<Ran>;
  /** Begins to run `bowline` as them. */
  readonly start: (args: readonly string[], options: RunBowlineOptions) => Promise<Ran>;
  /** Runs `bowline` as them; it must succeed. */
  readonly bowline: (args: readonly string[], stdin?: string) => Promise<Ran>;
}

type Grant = Pick<SpecOf<typeof AccessGrant>, "kubernetes" | "namespaces">;

/** Makes the user and, under the same name, the grant; for as long as the test lasts. */
export async function addEditor(
  { bowline, serverUrl, caPem }: Pick<Stage, "bowline" | "serverUrl" | "caPem">,
  name: string,
  grant: Grant,
): Promise<Editor> {
  const folder = await createTempFolder("editor");
  onTestFinished(() => folder[Symbol.asyncDispose]());
  const caFile = join(folder.path, "ca.crt");
  await writeFile(caFile, caPem);
  const user = { kind: "User", metadata: { name }, spec: { role: "editor" } };
  await bowline(["apply", "-f", "-"], JSON.stringify(user));
  await giveGrant({ bowline }, name, grant);
  const token = (await bowline(["token", "create", `${name}-token`, "--for", name])).out.trim();
  const client = createClient({ server: serverUrl, token, caPem });
  onTestFinished(() => client.close());
  const environment = {
    HOME: folder.path,
    BOWLINE_SERVER: serverUrl,
    BOWLINE_TOKEN: token,
    BOWLINE_CA_FILE: caFile,
  };
  const start = (args: readonly string[], options: RunBowlineOptions): Promise<Ran> =>
    runBowline(args, { ...options, environment });
  const tried = (args: readonly string[], stdin = ""): Promise<Ran> => start(args, { stdin });
  return {
    name,
    client,
    start,
    tried,
    bowline: async (args, stdin) => {
      const ran = await tried(args, stdin);
      if (ran.code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${ran.code}: ${ran.error}`);
      return ran;
    },
  };
}

export async function giveGrant(
  { bowline }: Pick<Stage, "bowline">,
  name: string,
  { kubernetes, namespaces }: Grant,
): Promise<void> {
  const clusters = { names: [clusterName] };
  const spec = { subjects: [{ user: name }], clusters, kubernetes, ...(namespaces && { namespaces }) };
  await bowline(["apply", "-f", "-"], JSON.stringify({ kind: "AccessGrant", metadata: { name }, spec }));
}

type Told = readonly [state: string, reason: string | undefined, message: string | undefined];

/** What became of each object of an instance in the cluster. */
export async function resourcesOf(client: Client, instance: string): Promise<Readonly<Record<string, Told>>> {
  const { items } = await client.list(WorkloadPlacement, { fieldSelector: `spec.instance=${instance}` });
  const [placement] = items;
  const entries = (placement?.status.resources ?? []).map(
    ({ kind, namespace, name, state, reason, message }) => {
      const place = namespace === undefined ? name : `${namespace}/${name}`;
      return [`${kind} ${place}`, [state, reason, message]] as const;
    },
  );
  return Object.fromEntries(entries);
}
