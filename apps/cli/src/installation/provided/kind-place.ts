import { resolve } from "node:path";

import { Cluster, validateWrite } from "@bowline/api";
import { BowlineError, isRecord } from "@bowline/core";
import {
  findMarkedClusters,
  isEngineName,
  kindProvider,
  loadImageArchive,
  type EngineName,
  type KindHost,
} from "@bowline/providers";

import type { TargetRecord } from "../installation-state.ts";
import type { ProvidedPlace } from "./provided-place.ts";

export interface KindFlags {
  readonly kind?: boolean | undefined;
  readonly nodes?: string | undefined;
  readonly kubernetesVersion?: string | undefined;
  readonly nodeImage?: string | undefined;
  readonly engine?: string | undefined;
  readonly imageArchive?: string | undefined;
}

type KindSettings = NonNullable<Cluster["spec"]["kind"]>;

/** A kind cluster on this machine, with what flags say, and where there are none, with what was recorded. */
export function kindPlace(flags: KindFlags, before: TargetRecord | undefined, host: KindHost): ProvidedPlace {
  const settings = kindSettings(flags, before?.["kind"]);
  const recorded = before?.["imageArchive"];
  const archive =
    flags.imageArchive === undefined
      ? typeof recorded === "string"
        ? recorded
        : undefined
      : resolve(flags.imageArchive);
  return {
    record: { type: "kind", kind: settings, ...(archive === undefined ? {} : { imageArchive: archive }) },
    words: "a kind cluster on this machine",
    flags: "--kind",
    looks: "look at the programs and the engine that the cluster needs",
    provider: kindProvider(host),
    spec: { provider: "kind", kind: settings },
    ...(archive === undefined
      ? {}
      : { loadImage: { archive, load: (work) => loadImageArchive(host, work, archive) } }),
    mayHoldData: (records) => records.some(({ state }) => state === "ready"),
    find: (name, signal) => findInstallations(name, settings.engine, host, signal),
  };
}

/** Those whose cluster was made by `up`: it has the id of its installation. */
async function findInstallations(
  name: string,
  engine: EngineName | undefined,
  host: KindHost,
  signal: AbortSignal,
): Promise<string[]> {
  const found = await findMarkedClusters(engine, host, signal);
  return found
    .filter((each) => each.name === name && each.installation === each.cluster)
    .map(({ cluster }) => cluster);
}

function kindSettings(
  { nodes, kubernetesVersion, nodeImage: image, engine }: KindFlags,
  recorded: unknown,
): KindSettings {
  const given = {
    ...(nodes === undefined ? {} : { nodes: Number(nodes) }),
    ...(kubernetesVersion === undefined ? {} : { kubernetesVersion: kubernetesVersion.replace(/^v/u, "") }),
    ...(image === undefined ? {} : { image }),
    ...(isEngineName(engine) ? { engine } : {}),
  };
  return checked({ ...(isRecord(recorded) ? recorded : {}), ...given });
}

/** By the rules of a Cluster, of which this will be the settings. */
function checked(kind: object): KindSettings {
  const body = { metadata: { name: "up" }, spec: { provider: "kind", kind } };
  const result = validateWrite(Cluster, body);
  const kept = result.ok ? result.object.spec.kind : undefined;
  if (kept !== undefined) return kept;
  const [problem] = result.ok ? [] : result.problems;
  throw new BowlineError(
    "InvalidArgument",
    `${problem?.path ?? "spec.kind"} ${problem?.message ?? "is missing"}.`,
  );
}
