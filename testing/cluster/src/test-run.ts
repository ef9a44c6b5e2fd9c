import { parseArgs } from "node:util";
import { BowlineError } from "@bowline/core";
import { floorRelease, releaseVariable, type KubeRelease } from "./kube-release.ts";

export interface TestArguments {
  /** Chosen with `--kubernetes`, or with the environment variable. */
  readonly releaseName?: string;
  /** Everything else: files, `-t` and the like. */
  readonly vitestArguments: readonly string[];
}

/** A release, and why it is not here; without an obstacle it is. */
export interface ReleaseStatus {
  readonly release: KubeRelease;
  readonly obstacle: string | undefined;
}

export interface TestRun {
  /** Of vitest.config.ts: two have every test between them, `cluster-floor` those that the oldest release must pass too. */
  readonly projects: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Lines for the reader: which Kubernetes is tested, and which is not and why. */
  readonly remarks: readonly string[];
}

/** Every test: those that run beside each other, and those that run alone. */
const everything = ["cluster", "cluster-alone"] as const;

export function readArguments(args: readonly string[], env: NodeJS.ProcessEnv): TestArguments {
  const { tokens } = parseArgs({
    args: [...args],
    options: { kubernetes: { type: "string" } },
    strict: false,
    tokens: true,
  });
  const chosen = tokens.find((token) => token.kind === "option" && token.name === "kubernetes");
  if (chosen?.kind !== "option") {
    const releaseName = env[releaseVariable];
    return { ...(releaseName ? { releaseName } : {}), vitestArguments: args };
  }
  if (chosen.value === undefined)
    throw new BowlineError("InvalidArgument", "--kubernetes wants a version, such as 1.20.");
  const length = chosen.inlineValue ? 1 : 2;
  return { releaseName: chosen.value, vitestArguments: args.toSpliced(chosen.index, length) };
}

/** Every test runs on the first release that is here; the oldest, if it is a second one, needs only some of them. */
export function planTestRun(statuses: readonly ReleaseStatus[], assets: string | undefined): TestRun {
  if (assets) return { projects: everything, env: {}, remarks: [`Kubernetes for the tests: ${assets}`] };
  const here = statuses.filter(({ obstacle }) => obstacle === undefined).map(({ release }) => release);
  const [first, ...others] = here;
  const missing = statuses.flatMap(({ release, obstacle }) =>
    obstacle === undefined ? [] : [`Kubernetes ${release.name} is not here: ${obstacle}.`],
  );
  if (first === undefined) {
    throw new BowlineError(
      "MissingProgram",
      `${missing.join("\n")}\nRun this as root on Debian 12 or with Go in PATH, or set KUBEBUILDER_ASSETS: ` +
        'export KUBEBUILDER_ASSETS="$(setup-envtest use --print path)".',
    );
  }
  const env = { [releaseVariable]: first.name };
  if (others.includes(floorRelease)) {
    const remark = `Every test runs on Kubernetes ${first.version}, the contract, RBAC and a walk on ${floorRelease.version}.`;
    return { projects: [...everything, "cluster-floor"], env, remarks: [remark] };
  }
  return { projects: everything, env, remarks: [...missing, `Only Kubernetes ${first.version} is tested.`] };
}
