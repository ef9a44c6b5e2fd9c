import { monitorEventLoopDelay } from "node:perf_hooks";
import { tmpdir } from "node:os";

import { expect, onTestFinished, test } from "vitest";

import { renderFiles } from "./render-files.ts";
import { sourceFiles } from "./testing/fake-tool.ts";
import { RenderTools } from "./tools/render-tools.ts";
import { RenderPool } from "./worker/render-pool.ts";

const variables = Array.from(
  { length: 38 },
  (_, n) => `            - name: VARIABLE_${n}\n              value: "some text of ${n}"\n`,
).join("");

const deployment = (name: string): string => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ${name}
spec:
  selector:
    matchLabels: { app: ${name} }
  template:
    metadata:
      labels: { app: ${name} }
    spec:
      containers:
        - name: app
          image: example.test/app:1
          env:
${variables}`;

/** The largest that is allowed has to fit into the memory that is allowed, and leave this process free. */
test("ten files of nearly one MiB each are rendered by a process with the usual limits", async () => {
  const pool = new RenderPool({ concurrency: 1 });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  const tools = new RenderTools({ searchPath: "", allow: [], temporaryFolder: tmpdir() });
  const perFile = Math.floor((1024 * 1024) / (deployment("app-0-000").length + 4));
  const texts = Object.fromEntries(
    Array.from({ length: 10 }, (_, file) => [
      `file-${file}.yaml`,
      Array.from({ length: perFile }, (__, n) => deployment(`app-${file}-${n}`)).join("---\n"),
    ]),
  );
  const files = sourceFiles(texts);
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  const startedAt = performance.now();
  const rendered = await renderFiles({ files, tools, pool, signal: new AbortController().signal });
  const tookMs = Math.round(performance.now() - startedAt);
  delay.disable();
  const bytes = files.reduce((sum, file) => sum + file.bytes.length, 0);
  const blockedMs = Math.round(delay.max / 1e6);
  // Figures for whoever reads the log; machines differ too much to hold them to any.
  process.stdout.write(
    `${bytes} bytes in ${tookMs} ms; this process was busy for at most ${blockedMs} ms.\n`,
  );
  expect(rendered).toMatchObject({ ok: true, count: perFile * 10 });
});
