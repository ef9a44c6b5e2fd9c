import { Cluster } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";

import type { CommandContext } from "../../command/command-context.ts";
import { parseLabels } from "../../installation/ensure-cluster.ts";
import { manifestsFrom } from "../../manifests/manifest-options.ts";
import type { Manifest } from "../../manifests/manifest.ts";
import { requireObjectName } from "../../resources/resource.ts";
import { withField } from "./set-field.ts";
import { fieldsOfFlags, makers, type Maker, type SpecFlags } from "./spec-flags.ts";

export interface BodyFlags extends SpecFlags {
  readonly provider?: Maker;
  readonly filename?: string;
  readonly labels?: readonly string[];
}

/** The Cluster that is to be made. */
export interface WantedCluster {
  readonly name: string;
  readonly body: object;
  /** Where the rest of it was read. */
  readonly manifest: Manifest | undefined;
}

/** What the file says, with what the flags say on top of it. Throws `InvalidArgument` for what is wrong here. */
export async function wantedCluster(
  context: CommandContext,
  typedName: string | undefined,
  flags: BodyFlags,
): Promise<WantedCluster> {
  const manifest = flags.filename === undefined ? undefined : await readCluster(context, flags.filename);
  const name = nameOf(typedName, manifest);
  const metadata = recordIn(manifest?.body, "metadata");
  const written = recordIn(manifest?.body, "spec");
  const provider = providerOf(flags, written["provider"]);
  const hasMachines = recordIn(written, "eks")["nodeGroups"] !== undefined;
  const spec = fieldsOfFlags(provider, flags, { hasMachines }).reduce<unknown>(withField, {
    ...written,
    provider,
  });
  requireFields(provider, spec);
  const labels = { ...recordIn(metadata, "labels"), ...parseLabels(flags.labels ?? []) };
  return { name, manifest, body: { ...manifest?.body, metadata: { ...metadata, name, labels }, spec } };
}

async function readCluster(context: CommandContext, file: string): Promise<Manifest> {
  const manifests = await manifestsFrom(context, { filename: [file], recursive: false });
  const [manifest] = manifests;
  if (manifest?.kind === Cluster && manifests.length === 1) return manifest;
  throw new BowlineError(
    "InvalidArgument",
    "The file has to hold one Cluster, and nothing else; bowline create -f takes more.",
  );
}

function nameOf(typed: string | undefined, manifest: Manifest | undefined): string {
  const name = typed ?? manifest?.name;
  if (name === undefined) throw new BowlineError("InvalidArgument", "Say what to call the cluster.");
  if (manifest === undefined || manifest.name === name) return requireObjectName(name);
  throw new BowlineError(
    "InvalidArgument",
    `The file calls the cluster "${manifest.name}", and the command "${requireObjectName(name)}"; leave the name out of the command.`,
  );
}

function providerOf({ provider }: BodyFlags, written: unknown): Maker {
  if (provider !== undefined && written !== undefined && written !== provider) {
    throw new BowlineError("InvalidArgument", `The file has another provider than --provider ${provider}.`);
  }
  const found = makers.find((maker) => maker === (provider ?? written));
  if (found !== undefined) return found;
  throw new BowlineError(
    "InvalidArgument",
    `Say what makes the cluster: --provider ${makers.join("|")}. One that is there already is added with bowline cluster add.`,
  );
}

/** Without these a provider has nothing to begin with; each has a flag, which the server does not know of. */
const neededFields: Readonly<Record<Maker, readonly (readonly [path: string, flag: string])[]>> = {
  exec: [["exec.command", "--program NAME"]],
  kind: [],
  clusterapi: [["clusterapi.managementCluster", "--management-cluster NAME"]],
  eks: [
    ["region", "--region REGION"],
    ["eks.nodeGroups", "--node-type TYPE"],
  ],
};

function requireFields(provider: Maker, spec: unknown): void {
  const missing = neededFields[provider].find(([path]) => valueAt(spec, path) === undefined);
  if (missing === undefined) return;
  const [path, flag] = missing;
  throw new BowlineError(
    "InvalidArgument",
    `The provider ${provider} needs ${flag}, or spec.${path} in a file with -f.`,
  );
}

function valueAt(value: unknown, path: string): unknown {
  return path.split(".").reduce<unknown>((found, key) => (isRecord(found) ? found[key] : undefined), value);
}

function recordIn(value: unknown, key: string): Readonly<Record<string, unknown>> {
  const found = isRecord(value) ? value[key] : undefined;
  return isRecord(found) ? found : {};
}
