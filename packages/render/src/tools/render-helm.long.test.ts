import { delimiter } from "node:path";

import { helmTest } from "@bowline/test-services";
import { afterAll, describe, expect, test } from "vitest";

import { renderFiles, type Rendered, type RenderRequest } from "../render-files.ts";
import { hostTools, sourceFiles } from "../testing/fake-tool.ts";
import { describeRenderProblem } from "../worker/read-manifests.ts";
import { RenderPool } from "../worker/render-pool.ts";

const { skip, folder } = await helmTest(process.env);
const tools = hostTools([folder, process.env["PATH"] ?? ""].join(delimiter));
const pool = new RenderPool({ concurrency: 1 });
afterAll(() => pool[Symbol.asyncDispose]());
const { signal } = new AbortController();

const chart = (files: Readonly<Record<string, string>> = {}): Record<string, string> => ({
  "Chart.yaml": "apiVersion: v2\nname: web\nversion: 1.2.3\n",
  "values.yaml": "greeting: hello\nreplicas: 1\n",
  "templates/map.yaml":
    "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}-map\n  namespace: {{ .Release.Namespace }}\ndata:\n  greeting: {{ .Values.greeting | quote }}\n",
  ...files,
});

const job = (hook: string): string =>
  `apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: job\n  annotations:\n    helm.sh/hook: ${hook}\n`;

function render(
  texts: Readonly<Record<string, string>>,
  options: Partial<RenderRequest> = {},
): Promise<Rendered> {
  return renderFiles({ files: sourceFiles(texts), tools, pool, signal, ...options });
}

describe.skipIf(skip)("Helm", () => {
  test("renders a chart with values, a release and a namespace, and the definitions that come with it", async () => {
    const definition =
      "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: { name: a.example.com }\n";
    const rendered = await render(chart({ "crds/a.yaml": definition }), {
      render: { values: { greeting: 'a "quoted": {{ text }}' } },
      releaseName: "shop",
      namespace: "prod",
    });
    expect(rendered).toMatchObject({
      ok: true,
      objects: [
        {
          kind: "ConfigMap",
          metadata: { name: "shop-map", namespace: "prod" },
          data: { greeting: 'a "quoted": {{ text }}' },
        },
        { kind: "CustomResourceDefinition" },
      ],
      tool: { name: "helm", version: expect.stringMatching(/^v3/u) },
    });
  });

  test("names every hook of a chart: tests are left out, some are translated, others are problems", async () => {
    const tested = await render(chart({ "templates/test.yaml": job("test") }));
    expect(tested).toMatchObject({
      ok: true,
      count: 1,
      notes: ["Job job is left out: it is a test of the chart, for helm test."],
    });
    const translated = await render(chart({ "templates/hook.yaml": job("pre-install,pre-upgrade") }));
    expect(translated).toMatchObject({
      ok: true,
      count: 2,
      notes: ["Job job is run as a hook, bowline.dev/hook: pre, once for each revision."],
    });
    const hooked = await render(chart({ "templates/hook.yaml": job("pre-install") }));
    expect(hooked.ok ? [] : hooked.problems.map(describeRenderProblem)).toEqual([
      "Job job: this is a hook of Helm (pre-install), which nothing here would run; switch it off by a value, or deploy what it does as an object of its own",
    ]);
  });

  test("refuses a chart that gives something else each time", async () => {
    const random =
      "apiVersion: v1\nkind: Secret\nmetadata: { name: s }\nstringData:\n  p: {{ randAlphaNum 20 }}\n";
    await expect(render(chart({ "templates/secret.yaml": random }))).rejects.toMatchObject({
      code: "RenderFailed",
      message: expect.stringMatching(/something else each time it is rendered, first on line \d+/u),
    });
  });

  test("says what Helm says about a chart that is wrong, without the folder it was in", async () => {
    const wrong = render(chart({ "templates/map.yaml": "{{ .Values.none.at.all }}\n" }));
    await expect(wrong).rejects.toMatchObject({ code: "RenderFailed" });
    await expect(wrong).rejects.toThrow(/^helm v3\S* failed \(1\): .*templates\/map\.yaml/u);
    await expect(wrong).rejects.not.toThrow(/bowline-render-/u);
    const missing =
      "apiVersion: v2\nname: web\nversion: 1.2.3\ndependencies:\n  - { name: db, version: 1.0.0, repository: 'https://example.com' }\n";
    await expect(render(chart({ "Chart.yaml": missing }))).rejects.toThrow(
      /missing in charts\/ directory: db/u,
    );
  });
});
