import { tmpdir } from "node:os";

import { renderFiles, RenderPool, RenderTools } from "@bowline/render";

import { nowMs } from "../api/measurement.ts";
import type { BenchmarkContext } from "../benchmark.ts";
import { sampleDeployment } from "../workloads/sample-workload.ts";

export interface RenderMeasurement {
  readonly renderMs: readonly number[];
  /** Reading the objects that came of it, in this process. */
  readonly parseMs: readonly number[];
  readonly objects: number;
}

const fileBytes = 1_000_000;
const totalBytes = 9_900_000;

/** Renders files of YAML that are nearly as much as is taken. */
export async function measureRender({
  rounds,
  progress,
  signal,
}: BenchmarkContext): Promise<RenderMeasurement> {
  const files = sampleFiles();
  await using pool = new RenderPool({ concurrency: 1 });
  const tools = new RenderTools({ searchPath: "", allow: [], temporaryFolder: tmpdir() });
  const renderMs: number[] = [];
  const parseMs: number[] = [];
  let objects = 0;
  for (let round = 0; round <= rounds; round += 1) {
    progress(round === 0 ? "10 MiB are rendered once, to begin with" : `round ${round} of ${rounds}`);
    const startMs = nowMs();
    const rendered = await renderFiles({ files, parameters: [], tools, pool, signal });
    const endMs = nowMs();
    if (!rendered.ok) throw new Error(JSON.stringify(rendered.problems.slice(0, 3)));
    objects = rendered.objects.length;
    if (round === 0) continue;
    renderMs.push(endMs - startMs);
    parseMs.push(nowMs() - endMs);
  }
  return { renderMs, parseMs, objects };
}

function sampleFiles() {
  const texts: string[] = [""];
  for (let index = 0, total = 0; total < totalBytes; index += 1) {
    const text = `---\n${yamlOf(`web-${index}`)}`;
    const last = texts.at(-1) ?? "";
    if (last.length + text.length > fileBytes) texts.push(text);
    else texts[texts.length - 1] = last + text;
    total += text.length;
  }
  return texts.map((text, index) => ({
    path: `part-${index}.yaml`,
    bytes: Buffer.from(text),
    mode: 0o100644,
  }));
}

/** As people write it; some kilobytes each, so that there are fewer objects than may be. */
function yamlOf(name: string): string {
  const { spec } = sampleDeployment(name);
  const variables = Array.from(
    { length: 100 },
    (_, at) => `        - {name: VARIABLE_${at}, value: "value ${at} of ${name}"}`,
  );
  return [
    "apiVersion: apps/v1",
    "kind: Deployment",
    "metadata:",
    `  name: ${name}`,
    "  namespace: default",
    `spec: ${JSON.stringify(spec).slice(0, -1)}, "paused": false}`,
    "# The variables that it is started with.",
    "---",
    "apiVersion: v1",
    "kind: ConfigMap",
    `metadata: {name: ${name}}`,
    "data:",
    "  variables: |",
    ...variables,
    "",
  ].join("\n");
}
