import { isRecord } from "@bowline/core";

/** Something outside of a kustomization that it refers to. */
export interface KustomizationReference {
  /** `configMapGenerator.files`. */
  readonly field: string;
  readonly text: string;
  readonly kind: "file" | "folder" | "either";
}

/** Fields with which kustomize would run Helm, which has a sandbox of its own here. */
export const chartFields: readonly string[] = ["helmCharts", "helmChartInflationGenerator"];

type Kustomization = Readonly<Record<string, unknown>>;

const lists: readonly { readonly field: string; readonly kind: KustomizationReference["kind"] }[] = [
  { field: "resources", kind: "either" },
  { field: "bases", kind: "folder" },
  { field: "components", kind: "folder" },
  { field: "crds", kind: "file" },
  { field: "configurations", kind: "file" },
  { field: "generators", kind: "either" },
  { field: "transformers", kind: "either" },
  { field: "validators", kind: "either" },
  { field: "patchesStrategicMerge", kind: "file" },
];

const listsOfPaths = ["patches", "patchesJson6902", "replacements"];
const sources = ["configMapGenerator", "secretGenerator"];

/** Everything that kustomize would read for a kustomization. Where it may be written inline, such text is no reference. */
export function referencesOf(kustomization: Kustomization): KustomizationReference[] {
  const { openapi } = kustomization;
  return [
    ...lists.flatMap(({ field, kind }) =>
      textsIn(kustomization[field])
        .filter((text) => !text.includes("\n"))
        .map((text) => ({ field, text, kind })),
    ),
    ...listsOfPaths.flatMap((field) =>
      recordsIn(kustomization[field]).flatMap(({ path }) => pathReference(`${field}.path`, path)),
    ),
    ...sources.flatMap((field) =>
      recordsIn(kustomization[field]).flatMap((source) => filesOf(field, source)),
    ),
    ...(isRecord(openapi) ? pathReference("openapi.path", openapi["path"]) : []),
  ];
}

function filesOf(field: string, source: Kustomization): KustomizationReference[] {
  const { files, envs, env } = source;
  return [
    // `key=path`, or the path alone.
    ...textsIn(files).map((text) => ({ field: `${field}.files`, text: text.slice(text.indexOf("=") + 1) })),
    ...textsIn(envs).map((text) => ({ field: `${field}.envs`, text })),
    ...(typeof env === "string" ? [{ field: `${field}.env`, text: env }] : []),
  ].map((reference) => ({ ...reference, kind: "file" as const }));
}

function pathReference(field: string, value: unknown): KustomizationReference[] {
  return typeof value === "string" && value !== "" ? [{ field, text: value, kind: "file" }] : [];
}

function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

function recordsIn(value: unknown): Kustomization[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}
