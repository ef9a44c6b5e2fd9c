/** Runs every static check, shows what each costs, and fails if one of them does. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));

const checks: ReadonlyArray<readonly [name: string, command: string, ...args: string[]]> = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc", "--noEmit"],
  ["types of the page", "tsc", "--noEmit", "-p", "apps/web"],
  ["boundaries", "node", "scripts/boundaries.ts"],
  ["proto", "buf", "lint", "packages/protocol"],
  ["generated", "node", "scripts/generate.ts", "--check"],
  ["lock", "node", "scripts/lock-platforms.ts", "--check"],
  ["unused", "knip", "--no-progress"],
];

const only = process.argv.slice(2);
let failed = 0;
for (const [name, command, ...args] of checks) {
  if (only.length > 0 && !only.includes(name)) continue;
  const startedAt = performance.now();
  const result = spawnSync(command, args, { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  if (result.status === 0) {
    console.log(`ok    ${name} (${seconds} s)`);
    continue;
  }
  failed++;
  console.log(`FAIL  ${name} (${seconds} s): ${command} ${args.join(" ")}`);
  console.log(result.error?.message ?? `${result.stdout}${result.stderr}`);
}
if (failed > 0) process.exitCode = 1;
