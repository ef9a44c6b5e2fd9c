import { execFile } from "node:child_process";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { compiledFiles } from "@bowline/program/compiled-program";
import { build, type InputOptions } from "rolldown";

import { bundleCompiled } from "./bundle-compiled.ts";
import { packagesInside, type PackageInside } from "./packages-inside.ts";
import { readVersion, root, type Version } from "./read-version.ts";
import { licenceText, sbomOf } from "./sbom.ts";
import { plainCode, smallerModules } from "./smaller-modules.ts";

/** The folder of a program, as every form in which it is shipped has it. */
export interface Program extends Version {
  readonly folder: string;
  /** Libraries in it, the console's included. */
  readonly packages: readonly PackageInside[];
}

/** Programs that are started as processes of their own. Each is one file, and knows nothing of the others. */
const processes = {
  "aws-process": "packages/providers/src/eks/aws/aws-process-main.ts",
  "render-process": "packages/render/src/worker/render-process-main.ts",
  "render-program": "packages/render/src/program/program-main.ts",
};
/** The program that is shipped a second time, with its compiled code. */
const compiledProgram = "agent";
/** Of the SDK of AWS only its modules can be taken apart: 0.8 MB of it are used, of the CommonJS that Node would load 2.8. */
const sdkParts = { mainFields: ["module", "main"] };
const templates = join(root, "apps/cli/src/commands/init/template");
const typesOfApps = join(root, "packages/render/src/program/app.ts");

/**
 * Makes the whole program, with the console, a folder of JavaScript that needs nothing but Node: `dist/bowline.mjs` is
 * where it begins, and what a command does not need is not loaded. The same sources make the same bytes.
 */
export async function bundleProgram(folder: string): Promise<Program> {
  const dist = join(folder, "dist");
  await rm(folder, { recursive: true, force: true });
  await mkdir(dist, { recursive: true });
  const page = join(root, "apps/web");
  await promisify(execFile)(process.execPath, [join(page, "build/build-page.ts")], { timeout: 120_000 });
  const modules = await Promise.all([
    bundle(dist, {
      bowline: join(root, "apps/cli/src/main.ts"),
      "demo-site": join(root, "apps/demo/src/site/site-process.ts"),
    }),
    ...Object.entries(processes).map(([name, source]) =>
      bundle(dist, { [name]: join(root, source) }, name === "aws-process" ? sdkParts : {}),
    ),
    bundleCompiled(dist, compiledProgram, join(root, "apps/cli/src/agent-main.ts")),
    modulesOfPage(page),
  ]);
  await cp(join(page, "dist"), join(dist, "console"), {
    recursive: true,
    filter: (path) => !path.endsWith("sources.sha256") && !path.endsWith("modules.json"),
  });
  await cp(templates, join(dist, "init"), { recursive: true });
  await cp(typesOfApps, join(dist, "init", "bowline.ts"));
  const packages = await packagesInside(modules.flat());
  const version = await readVersion();
  await writeFile(join(folder, "package.json"), packageFile(version));
  await writeFile(join(folder, "sbom.cdx.json"), sbomOf(version, packages));
  await writeFile(join(folder, "LICENSES.txt"), licenceText(packages));
  await cp(join(root, "LICENSE"), join(folder, "LICENSE"));
  return { ...version, folder, packages };
}

/** Resolves to the sources that are in it. */
async function bundle(
  dir: string,
  input: Readonly<Record<string, string>>,
  resolve: InputOptions["resolve"] = {},
): Promise<string[]> {
  const isOne = Object.keys(input).length === 1;
  const { output } = await build({
    cwd: root,
    input,
    platform: "node",
    resolve,
    plugins: [smallerModules],
    output: {
      dir,
      entryFileNames: "[name].mjs",
      chunkFileNames: "[name]-[hash].mjs",
      ...(isOne ? { codeSplitting: false } : {}),
      ...plainCode,
    },
    logLevel: "warn",
  });
  return output.flatMap((chunk) => (chunk.type === "chunk" ? chunk.moduleIds : []));
}

/** The page is built apart, and its build leaves a list. */
async function modulesOfPage(page: string): Promise<string[]> {
  return JSON.parse(await readFile(join(page, "dist", "modules.json"), "utf8"));
}

function packageFile({ version, revision }: Version): string {
  const file = {
    name: "bowline",
    version,
    description: "One control plane for all your Kubernetes clusters",
    license: "Apache-2.0",
    type: "module",
    bin: { bowline: "dist/bowline.mjs" },
    // For npm: compiled code is for the one Node that has made it.
    files: ["*", ...Object.values(compiledFiles(compiledProgram)).map((file) => `!dist/${file}`)],
    engines: { node: ">=24" },
    ...(revision === undefined ? {} : { gitHead: revision.commit }),
  };
  return `${JSON.stringify(file, undefined, 2)}\n`;
}
