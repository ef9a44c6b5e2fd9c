import { stringify } from "yaml";

import { objectTemplates } from "../installation-objects.ts";
import { printTemplate } from "../template/print-template.ts";
import type { ServerSettings } from "../values/parse-values.ts";
import { chartNotes } from "./chart-notes.ts";
import { chartReadme } from "./chart-readme.ts";
import { valuesFile } from "./values-file.ts";
import { valuesSchemaFile } from "./values-schema-file.ts";

export interface ChartOptions {
  /** Of Bowline, and of the chart. */
  readonly version: string;
  readonly settings: ServerSettings;
}

/** The files of the Helm chart, by their paths in it. */
export function chartFiles({ version, settings }: ChartOptions): Map<string, string> {
  const templates = objectTemplates(settings).map(
    (each) => [`templates/${each.file}.yaml`, printTemplate(each)] as const,
  );
  return new Map([
    ["Chart.yaml", chartFile(version)],
    ["README.md", chartReadme],
    ["values.yaml", valuesFile(settings)],
    ["values.schema.json", valuesSchemaFile(settings)],
    ["templates/NOTES.txt", chartNotes],
    ...templates,
  ]);
}

function chartFile(version: string): string {
  return stringify({
    apiVersion: "v2",
    name: "bowline",
    description: "The server of Bowline: one control plane for all your Kubernetes clusters",
    type: "application",
    version,
    appVersion: version,
    kubeVersion: ">=1.20.0-0",
    annotations: { "artifacthub.io/license": "Apache-2.0" },
  });
}
