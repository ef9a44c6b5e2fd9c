import { readdir, readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ManualClock } from "@bowline/core/testing";
import { livingPids } from "@bowline/test-services";
import { afterAll, describe, expect, onTestFinished, test } from "vitest";

import { renderFiles, type Rendered, type RenderRequest } from "../render-files.ts";
import { defaultRenderLimits } from "../render-limits.ts";
import { fakeTools, hostTools, sourceFiles } from "../testing/fake-tool.ts";
import { RenderPool } from "../worker/render-pool.ts";
import { RenderTools } from "./render-tools.ts";

const pool = new RenderPool({ concurrency: 1 });
afterAll(() => pool[Symbol.asyncDispose]());
const { signal } = new AbortController();
const host = hostTools(process.env["PATH"] ?? "");

const configMap = (name: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name} }\ndata: { a: b }\n`;
const base = {
  "base/kustomization.yaml": "resources: [b.yaml, a.yaml]\n",
  "base/a.yaml": configMap("a"),
  "base/b.yaml": configMap("b"),
};

function render(
  texts: Readonly<Record<string, string>>,
  { tools = host, ...options }: Partial<RenderRequest> = {},
): Promise<Rendered> {
  return renderFiles({ files: sourceFiles(texts), tools, pool, signal, ...options });
}

describe("the kubectl of this machine", () => {
  test("renders an overlay on a base outside of its folder, in one order", async () => {
    const texts = { ...base, "over/kustomization.yaml": "bases: [../base]\nnamePrefix: x-\n" };
    const { numbers } = await host.find("kustomize");
    const overlay =
      (numbers[0] ?? 0) >= 5 ? { "over/kustomization.yaml": "resources: [../base]\nnamePrefix: x-\n" } : {};
    const rendered = await render({ ...texts, ...overlay }, { folder: "over" });
    expect(rendered).toMatchObject({
      ok: true,
      objects: [{ metadata: { name: "x-a" } }, { metadata: { name: "x-b" } }],
      tool: { version: expect.stringMatching(/^v\d/u) },
    });
  });

  test("makes what generators say, from the files alone", async () => {
    const rendered = await render({
      "kustomization.yaml": "configMapGenerator:\n  - name: conf\n    files: [app.conf]\n",
      "app.conf": "a = 1\n",
    });
    expect(rendered).toMatchObject({
      ok: true,
      objects: [{ kind: "ConfigMap", metadata: { name: expect.stringMatching(/^conf-\w{10}$/u) } }],
    });
  });
});

describe("refused before anything runs", () => {
  const nothingRuns = "echo started >> $folder/started";

  test.each([
    ["an address", "resources: ['https://example.com/a.yaml']"],
    ["a repository", "resources: ['github.com/someone/something?ref=v1']"],
    ["a repository without a ref", "resources: [github.com/someone/something]"],
    ["a repository by ssh", "bases: ['git@example.com:a/b.git']"],
    ["a local repository", "resources: ['file:///etc']"],
    ["a component elsewhere", "components: ['ssh://git@example.com/a']"],
    ["a patch elsewhere", "patches: [{ path: 'https://example.com/p.yaml' }]"],
    ["a generator's file elsewhere", "secretGenerator: [{ name: s, files: ['k=https://example.com/k'] }]"],
    ["a schema elsewhere", "openapi: { path: 'https://example.com/s.json' }"],
    ["a folder outside", "resources: [../../etc]"],
    ["a path from the root", "configMapGenerator: [{ name: c, files: [/etc/passwd] }]"],
    ["a file outside", "configMapGenerator: [{ name: c, envs: [../../../etc/passwd] }]"],
    ["a file that is missing", "resources: [c.yaml]"],
  ])("%s", async (_, text) => {
    const { tools, folder } = await fakeTools({
      kubectl: nothingRuns,
      kustomize: `case $1 in version) echo v5.0.0;; *) ${nothingRuns};; esac`,
    });
    await expect(render({ "x/kustomization.yaml": text }, { tools, folder: "x" })).rejects.toMatchObject({
      code: "UnsafePath",
      details: { path: "x/kustomization.yaml" },
    });
    expect(await readdir(folder)).not.toContain("started");
  });

  test("an address in a base of a base", async () => {
    const texts = {
      "kustomization.yaml": "resources: [one]\n",
      "one/kustomization.yaml": "resources: [../two]\n",
      "two/kustomization.yaml": "resources: ['http://127.0.0.1/a.yaml']\n",
    };
    await expect(render(texts)).rejects.toMatchObject({
      code: "UnsafePath",
      details: { path: "two/kustomization.yaml" },
    });
  });

  test("charts inside of a kustomization, and two kustomizations in one folder", async () => {
    await expect(render({ "kustomization.yaml": "helmCharts: [{ name: a }]\n" })).rejects.toMatchObject({
      code: "RenderFailed",
    });
    await expect(render({ "kustomization.yaml": "", "kustomization.yml": "" })).rejects.toThrow(
      "There are two kustomizations in one folder",
    );
  });
});

/** A kustomize of today that does something else than to render. */
const doing = (script: string): Record<string, string> => ({
  kustomize: `if [ "$1" = version ]; then echo v5.4.2; exit; fi\n${script}`,
});
const simple = { "kustomization.yaml": "resources: []\n" };

describe("a renderer", () => {
  test("that is missing is named, with the way out", async () => {
    const tools = new RenderTools({
      searchPath: "/nowhere",
      allow: ["kustomize"],
      temporaryFolder: tmpdir(),
    });
    await expect(render(simple, { tools })).rejects.toMatchObject({
      code: "RendererMissing",
      message:
        "These files are rendered by kustomize, and there is no kustomize and no kubectl on the PATH. Install or allow it, or commit the rendered manifests and use those.",
    });
  });

  test("that does not know a field is too old, and the field is named", async () => {
    const old = `case $1 in
      version) echo '{"clientVersion":{"gitVersion":"v1.20.2"}}';;
      *) echo 'Error: json: unknown field "replicas"' >&2; exit 1;;
    esac`;
    const { tools } = await fakeTools({ kubectl: old });
    await expect(render(simple, { tools })).rejects.toMatchObject({
      code: "RendererTooOld",
      message: expect.stringContaining(
        "kubectl v1.20.2 (kustomize v2.0.3) does not know the field replicas.",
      ),
      details: { field: "the field replicas" },
    });
  });

  test("of today that does not know a field says so", async () => {
    const { tools } = await fakeTools(
      doing(`echo "unknown field \\"foo\\" in $PWD/kustomization.yaml" >&2; exit 1`),
    );
    await expect(render(simple, { tools })).rejects.toMatchObject({
      code: "RenderFailed",
      message: 'kustomize v5.4.2 failed (1): unknown field "foo" in kustomization.yaml',
    });
  });

  test("that hangs is killed with everything it started, and leaves nothing", async () => {
    const clock = new ManualClock();
    const { tools, temporaryFolder, folder } = await fakeTools(
      doing('touch "$TMPDIR/left"; setsid sleep 600 & sleep 600 & touch $folder/started; wait'),
      { clock },
    );
    const limits = { ...defaultRenderLimits, renderMs: 60_000 };
    const before = await sleepers();
    const failed = render(simple, { tools, limits }).catch((error: unknown) => error);
    await expect.poll(() => readdir(folder)).toContain("started");
    await clock.advance(60_000);
    expect(await failed).toMatchObject({
      code: "RenderFailed",
      message: "Rendering took longer than 60000 ms and was stopped.",
    });
    await expect.poll(async () => (await sleepers()).filter((pid) => !before.includes(pid))).toEqual([]);
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  test("that nobody wants any more is killed, and leaves nothing", async () => {
    const { tools, temporaryFolder, folder } = await fakeTools(
      doing("echo started > $folder/started; sleep 600"),
    );
    const giveUp = new AbortController();
    const rendering = render(simple, { tools, signal: giveUp.signal });
    await expect.poll(() => readdir(folder)).toContain("started");
    giveUp.abort(new Error("enough"));
    await expect(rendering).rejects.toThrow("enough");
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  test("that prints without end is stopped at the limit", async () => {
    const { tools, temporaryFolder } = await fakeTools(doing("exec yes"));
    await expect(render(simple, { tools })).rejects.toMatchObject({
      code: "TooLarge",
      details: { limit: defaultRenderLimits.renderedBytes },
    });
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  test("that writes without end is stopped at the limit", async () => {
    const { tools, temporaryFolder } = await fakeTools(doing('exec cat /dev/zero > "$TMPDIR/zeros"'));
    await expect(render(simple, { tools })).rejects.toMatchObject({
      code: "TooLarge",
      message: `kustomize wrote a file of more than ${defaultRenderLimits.renderedBytes} bytes.`,
    });
    expect(await readdir(temporaryFolder)).toEqual([]);
  });

  test("has nothing of this process: no environment, no git, and a folder for itself", async () => {
    const { tools, folder } = await fakeTools(
      doing(
        `{ env; echo "path=$(ls -A $rendererPath | wc -l)"; echo "mode=$(stat -c %a "$HOME/..")"; } > $folder/seen; echo ---`,
      ),
    );
    process.env["CANARY"] = "canary";
    onTestFinished(() => void delete process.env["CANARY"]);
    await render(simple, { tools });
    const seen = await readFile(join(folder, "seen"), "utf8");
    expect(seen).not.toContain("canary");
    expect(seen).toContain("path=0\n");
    expect(seen).toContain("mode=700\n");
    expect(seen).toContain("HTTPS_PROXY=http://127.0.0.1:1\n");
  });

  test("cannot reach a server of this machine", async () => {
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(request.url ?? "");
      response.end(configMap("fetched"));
    }).listen(0, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    const address = server.address();
    const port = typeof address === "object" ? (address?.port ?? 0) : 0;
    const fetching = `exec bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && printf "GET /x HTTP/1.0\\r\\n\\r\\n" >&3 && cat <&3 || exit 7'`;
    const { tools } = await fakeTools(doing(fetching));
    await render(simple, { tools }).catch(() => undefined);
    // Where the kernel forbids namespaces, only the proxy stands in the way, which this program does not ask.
    const reached = { namespace: [], proxy: ["/x"] }[await tools.sandbox.isolation()];
    expect(requests).toEqual(reached);
  });
});

async function sleepers(): Promise<number[]> {
  const pids = (await readdir("/proc")).map(Number).filter((pid) => pid > 0);
  const living = await livingPids(pids);
  const named = await Promise.all(
    living.map(async (pid) => ({
      pid,
      command: await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""),
    })),
  );
  return named.filter(({ command }) => command === "sleep\u0000600\u0000").map(({ pid }) => pid);
}
