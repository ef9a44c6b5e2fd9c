/**
 * Completes `package-lock.json` with the binaries of other platforms. npm writes only those it finds, and a registry
 * mirror may hold none but its own platform's; `npm ci` then refuses the whole lock, there and everywhere else.
 *
 * `node scripts/lock-platforms.ts [--check]`
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

export interface LockedPackage {
  version?: string;
  optional?: boolean;
  dev?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
  optionalDependencies?: Record<string, string>;
}

export interface Lock {
  packages: Record<string, LockedPackage>;
}

const systems = new Set(["android", "darwin", "freebsd", "linux", "openharmony", "win32"]);
const processors = new Set(["arm", "arm64", "ia32", "ppc64", "riscv64", "s390x", "x64"]);

/** What a package's name says it runs on: `binding-linux-x64-musl`, `tsgolint-win32-arm64`. */
function platformOf(name: string): Pick<LockedPackage, "os" | "cpu" | "libc"> | undefined {
  const words = name.split(/[/-]/);
  if (words.includes("wasm32")) return { cpu: ["wasm32"] };
  const os = words.find((word) => systems.has(word));
  const cpu = words.find((word) => processors.has(word));
  if (os === undefined || cpu === undefined) return undefined;
  const isMusl = words.some((word) => word.startsWith("musl"));
  const isGlibc = words.some((word) => word.startsWith("gnu"));
  return { os: [os], cpu: [cpu], ...(isMusl ? { libc: ["musl"] } : isGlibc ? { libc: ["glibc"] } : {}) };
}

/** The entries that are missing, by the path they have in the lock. */
export function missingPlatforms({ packages }: Lock): Record<string, LockedPackage> {
  const missing: Record<string, LockedPackage> = {};
  for (const { optionalDependencies = {}, dev } of Object.values(packages)) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const path = `node_modules/${name}`;
      const platform = platformOf(name);
      if (path in packages || platform === undefined || !/^\d/.test(version)) continue;
      missing[path] = { version, ...platform, ...(dev === true ? { dev } : {}), optional: true };
    }
  }
  return missing;
}

if (import.meta.main) {
  const file = fileURLToPath(new URL("../package-lock.json", import.meta.url));
  const lock: Lock = JSON.parse(readFileSync(file, "utf8"));
  const missing = missingPlatforms(lock);
  const names = Object.keys(missing);
  if (names.length > 0 && process.argv.includes("--check")) {
    console.error(
      `package-lock.json lacks ${names.length} platforms, ${names[0]} first; run 'npm run lock'.`,
    );
    process.exitCode = 1;
  } else if (names.length > 0) {
    const packages = Object.entries({ ...lock.packages, ...missing }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeFileSync(file, `${JSON.stringify({ ...lock, packages: Object.fromEntries(packages) }, null, 2)}\n`);
    console.log(`Added ${names.length} platforms to package-lock.json.`);
  }
}
