/**
 * Builds the page into `dist`, its files also compressed (but the page itself, which gets a nonce each time), unless what is there was built from the same sources.
 *
 * `node apps/web/build/build-page.ts`
 */
import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";

import type { Plugin } from "vite";

const folder = join(import.meta.dirname, "..");
const root = join(folder, "../..");
const stampFile = join(folder, "dist/sources.sha256");

/** What the page is made of: its own sources, those of the packages it shares, and the versions of all libraries. */
const sources = [
  "apps/web/{src,build}/**/*.{ts,tsx,css,svg,html,txt}",
  "apps/web/{index.html,vite.config.ts,package.json}",
  "packages/{api,core,client,health,kube,manifests}/src/**/*.ts",
  "package-lock.json",
];

function digestOfSources(): string {
  const hash = createHash("sha256");
  const files = globSync(sources, { cwd: root }).filter((file) => !/\.test\.tsx?$|\/testing\//u.test(file));
  for (const file of files.toSorted()) hash.update(`${file}\0`).update(readFileSync(join(root, file)));
  return hash.digest("hex");
}

function isBuiltFrom(digest: string): boolean {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8") === digest;
}

const lockFile = join(root, "node_modules/.page-build.lock");
const lockLimitMs = 120_000;

/** Waits until no other process builds: the lock is one of the operating system, taken by SQLite, and ends with us. */
function takeLock(): Disposable {
  const lock = new DatabaseSync(lockFile, { timeout: lockLimitMs });
  lock.exec("pragma journal_mode = memory; begin exclusive;");
  return { [Symbol.dispose]: () => lock.close() };
}

/** Resolves when `dist` is what the sources say; true if it had to be built. */
async function buildPage(): Promise<boolean> {
  const digest = digestOfSources();
  if (isBuiltFrom(digest)) return false;
  using _lock = takeLock();
  if (isBuiltFrom(digest)) return false;
  console.log("Building the console's page …");
  // Tests have another environment, in which React is the slow one that looks for mistakes.
  process.env["NODE_ENV"] = "production";
  // Late: most starts find the page built.
  const { build } = await import("vite");
  const modules = new Set<string>();
  await build({
    configFile: join(folder, "vite.config.ts"),
    logLevel: "error",
    plugins: [listModules(modules)],
    worker: { plugins: () => [listModules(modules)] },
  });
  writeFileSync(join(folder, "dist/modules.json"), JSON.stringify([...modules].toSorted()));
  requireNoNode();
  const files = globSync("dist/assets/*.{js,css,svg}", { cwd: folder });
  await Promise.all(files.map((file) => compress(join(folder, file))));
  writeFileSync(stampFile, digest);
  return true;
}

/** Notes what the page is made of, for those who ship it. The preflight of Tailwind is part of its style sheet. */
function listModules(modules: Set<string>): Plugin {
  return {
    name: "bowline:list-modules",
    generateBundle(_, files) {
      modules.add("node_modules/tailwindcss/index.css");
      for (const file of Object.values(files)) {
        if (file.type !== "chunk") continue;
        for (const id of file.moduleIds) if (!id.startsWith("\0")) modules.add(relative(root, id));
      }
    },
  };
}

/** Packages that the page shares with the server also have parts for the server, which must all have been left out. */
function requireNoNode(): void {
  for (const file of globSync("dist/assets/*.js", { cwd: folder })) {
    const isClean = !/browser-external|from\s*["']node:/u.test(readFileSync(join(folder, file), "utf8"));
    if (!isClean) throw new Error(`${file} needs Node: something that runs on the server only is imported.`);
  }
}

/** Off the main thread, so that all cores do it. */
const toGzip = promisify(gzip);
const toBrotli = promisify(brotliCompress);

async function compress(file: string): Promise<void> {
  const bytes = await readFile(file);
  // The best takes seconds for the one file that is large, and makes it hardly smaller.
  const quality = bytes.length > 1024 * 1024 ? 9 : 11;
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: quality,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  await Promise.all([
    toGzip(bytes, { level: 9 }).then((zipped) => writeFile(`${file}.gz`, zipped)),
    toBrotli(bytes, { params }).then((zipped) => writeFile(`${file}.br`, zipped)),
  ]);
}

if (import.meta.main) {
  const startedMs = performance.now();
  const isNew = await buildPage();
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  if (isNew) console.log(`… built in ${seconds} s.`);
}
