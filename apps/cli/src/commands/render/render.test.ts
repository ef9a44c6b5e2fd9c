import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { createTempFolder } from "@bowline/test-services";
import { describe, expect, onTestFinished, test } from "vitest";

import { runBowline, type Ran } from "../../testing/run-bowline.ts";

const environment = { PATH: process.env["PATH"] };
const configMap = (name: string, value = "1"): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\ndata:\n  value: ${value}\n`;

async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const temp = await createTempFolder("render");
  onTestFinished(() => temp[Symbol.asyncDispose]());
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(temp.path, name)), { recursive: true });
    await writeFile(join(temp.path, name), text);
  }
  return temp.path;
}

async function render(files: Readonly<Record<string, string>>, ...args: string[]): Promise<Ran> {
  const folder = await folderOf(files);
  const [path = "", ...flags] = args.map((arg) => arg.replace("@", `${folder}/`));
  return runBowline(["render", path, ...flags], { environment });
}

describe("render", () => {
  test("prints the objects of a folder in one order, as YAML and as JSON", async () => {
    const files = { "b.yaml": configMap("b"), "a/x.yaml": configMap("x") };
    expect(await render(files, "@")).toMatchObject({
      code: 0,
      out: `${configMap("x")}---\n${configMap("b")}`,
      error: "",
    });
    const { out } = await render(files, "@", "-o", "json", "--exclude", "a/**");
    expect(JSON.parse(out)).toMatchObject({ kind: "List", items: [{ metadata: { name: "b" } }] });
  });

  test("leaves references alone, or fills all of them in", async () => {
    const files = { "a.yaml": configMap("a", "${{ image }} in ${{ cluster.name }}") };
    expect((await render(files, "@a.yaml")).out).toContain("value: ${{ image }} in ${{ cluster.name }}\n");
    const filled = await render(files, "@a.yaml", "--set", "image=x", "--cluster-facts", "name=eu");
    expect(filled.out).toContain("value: x in eu\n");
    const missing = await render(files, "@a.yaml", "--cluster-facts", "name=eu");
    expect(missing).toMatchObject({ code: 1, out: "" });
    expect(missing.error).toContain("refers to the parameter image, which has neither a value nor a default");
    expect((await render(files, "@a.yaml", "--parameter", "imagee=x")).code).toBe(2);
  });

  test("fills in a value that looks like YAML as the text it is", async () => {
    const files = { "a.yaml": configMap("a", '"${{ text }}"') };
    const value = 'x"\n  evil: ${{ cluster.name }}\n# ';
    const { out } = await render(files, "@a.yaml", "-o", "json", "--set", `text=${value}`);
    expect(JSON.parse(out)).toMatchObject({ items: [{ data: { value } }] });
  });

  test("names everything that is wrong, with file and line", async () => {
    const ran = await render(
      { "a.yaml": configMap("a"), "b.yaml": `${configMap("a")}---\nkind: Job\n` },
      "@",
    );
    expect(ran).toMatchObject({ code: 1, out: "" });
    expect(ran.error).toContain("b.yaml: ConfigMap a: the same object is in a.yaml already");
    expect(ran.error).toContain("document 2, line 8: Job: apiVersion is missing");
  });

  test("renders an overlay with everything below its root, and nothing outside", async () => {
    const files = {
      "base/kustomization.yaml": "resources: [a.yaml]\n",
      "base/a.yaml": configMap("a", '"1"'),
      "over/kustomization.yaml": "bases: [../base]\nnamePrefix: x-\n",
    };
    const outside = await render(files, "@over");
    expect(outside).toMatchObject({ code: 1, out: "" });
    expect(outside.error).toContain("leads out of the files that are rendered");
    const ran = await render(files, "@over", "--root", "@");
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("name: x-a\n");
  });

  test("runs a program, for all clusters or for one", async () => {
    const files = {
      "app.ts": `export default ({ parameters, cluster }: { parameters: { n?: number }; cluster: { name: string } }) =>
  [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" }, data: { count: String((parameters.n ?? 1) + 1), at: cluster.name } }];`,
    };
    expect((await render(files, "@app.ts")).out).toContain('count: "2"\n  at: ${{ cluster.name }}\n');
    const one = await render(files, "@app.ts", "--set", "n:integer=2", "--cluster-facts", "name=eu");
    expect(one).toMatchObject({ code: 0, error: "" });
    expect(one.out).toContain('count: "3"\n  at: eu\n');
  });

  test.each([
    [["@none.yaml"], 2, "does not exist."],
    [["@a.yaml", "--cluster-facts", "tier=gold"], 2, "is no fact of a cluster"],
    [["@a.yaml", "--cluster-facts", "region=eu"], 2, "needs the name of a cluster"],
    [["@", "--root", "@x"], 2, "is not below"],
  ])("refuses %j", async (args, code, message) => {
    const ran = await render({ "a.yaml": configMap("a"), "x/b.yaml": configMap("b") }, ...args);
    expect(ran).toMatchObject({ code, out: "" });
    expect(ran.error).toContain(message);
  });
});
