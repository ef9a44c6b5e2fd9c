import type { Client } from "@bowline/client";
import { BowlineError, redactSecrets, redactText } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { examine } from "../../doctor/examine.ts";
import { gatherFacts } from "../../doctor/gather-facts.ts";
import { shareableObject, sharedKinds } from "./shareable-object.ts";

/** A file of the bundle. */
export interface BundleFile {
  readonly path: string;
  /** What it is, for the list. */
  readonly about: string;
  readonly content: string;
}

/** Of one kind: enough to see a pattern, and not too much for a file that is sent by mail. */
const maxObjects = 2_000;
const maxEvents = 500;

/** Everything that can be found out, each part whatever becomes of the others. */
export async function bundleFiles(
  context: CommandContext,
  serverFlags: Readonly<Record<string, string | undefined>>,
): Promise<BundleFile[]> {
  const { version, revision, signal } = context;
  const facts = await gatherFacts(context, { serverFlags });
  const { settings = [], ...diagnosis } = facts.server ?? {};
  const about = {
    client: version,
    revision,
    node: process.version,
    platform: process.platform,
    arch: process.arch,
  };
  const always = [
    jsonFile("versions.json", "Versions of this program, of Node and of the server.", {
      ...about,
      server: facts.client.serverVersion,
    }),
    jsonFile("doctor.json", "What `bowline doctor` found.", examine(facts)),
    jsonFile("facts.json", "What it looked at.", { ...facts, server: diagnosis }),
  ];
  if (facts.client.identity === undefined) return always;
  const client = await context.client();
  const parts = await Promise.all([
    tried("settings.json", "The settings of the server, as check-config shows them.", () =>
      Promise.resolve(settings),
    ),
    tried("agents.json", "The sessions of agents.", () => client.agentSessions({ signal })),
    tried(
      "events.json",
      `The last ${maxEvents} events.`,
      async () => (await client.listEvents({ limit: maxEvents })).items,
    ),
    triedText("metrics.txt", "The metrics of the server.", () => client.metrics({ signal })),
    ...sharedKinds.map((kind) =>
      tried(
        `objects/${kind.plural}.json`,
        `${kind.kind} objects: metadata, status and what of their specs holds no values.`,
        () => objectsOf(client, kind),
      ),
    ),
  ]);
  return [...always, ...parts];
}

async function objectsOf(client: Client, kind: (typeof sharedKinds)[number]): Promise<object[]> {
  const objects: object[] = [];
  for await (const { items } of client.listAll(kind)) {
    objects.push(...items.map(shareableObject));
    if (objects.length >= maxObjects) break;
  }
  return objects.slice(0, maxObjects);
}

async function tried(path: string, about: string, read: () => Promise<unknown>): Promise<BundleFile> {
  try {
    return jsonFile(path, about, await read());
  } catch (error) {
    return jsonFile(path, `${about} It could not be read.`, failureOf(error));
  }
}

async function triedText(path: string, about: string, read: () => Promise<string>): Promise<BundleFile> {
  try {
    return { path, about, content: redactText(await read()) };
  } catch (error) {
    return jsonFile(path, `${about} It could not be read.`, failureOf(error));
  }
}

function failureOf(error: unknown): object {
  const { code, message } = BowlineError.from(error);
  return { failed: { code, message } };
}

/** Everything is searched for secrets once more, whatever it was made of. */
function jsonFile(path: string, about: string, value: unknown): BundleFile {
  return { path, about, content: `${JSON.stringify(redactSecrets(value), null, 2)}\n` };
}
