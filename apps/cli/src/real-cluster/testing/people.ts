import { delimiter, join } from "node:path";

import type { Ran, RunBowlineOptions } from "../../testing/run-bowline.ts";
import type { TestHome } from "../../testing/test-home.ts";
import { Kubectl } from "./kubectl.ts";
import type { ServerProcess } from "./server.ts";

/** What Bowline calls the cluster. */
export const clusterName = "edge";

/** The users of the server, and the group that a grant gives each of them in the cluster. */
export const people = { operator: "system:masters", viewer: "bowline:viewers" } as const;
export type Person = keyof typeof people;

/** `bowline`, as the admin of the server; it must succeed. */
export type Bowline = (args: readonly string[], stdin?: string) => Promise<Ran>;

/** Runs a command that must succeed. */
export async function succeed(
  home: TestHome,
  args: readonly string[],
  options: RunBowlineOptions,
): Promise<Ran> {
  const ran = await home.run(args, options);
  if (ran.code !== 0) throw new Error(`bowline ${args.join(" ")} ended with ${ran.code}: ${ran.error}`);
  return ran;
}

/** Makes the user and the grant; resolves to a token. */
export async function invite(bowline: Bowline, user: Person): Promise<string> {
  const metadata = { name: user };
  const kubernetes = { groups: [people[user]] };
  const spec = { subjects: [{ user }], clusters: { names: [clusterName] }, kubernetes };
  await bowline(["apply", "-f", "-"], JSON.stringify({ kind: "User", metadata, spec: { role: "viewer" } }));
  await bowline(["apply", "-f", "-"], JSON.stringify({ kind: "AccessGrant", metadata, spec }));
  const { out } = await bowline(["token", "create", `${user}-laptop`, "--for", user]);
  return out.trim();
}

export interface SigningIn {
  readonly token: string;
  readonly server: Pick<ServerProcess, "url" | "caFile">;
  /** The cluster that kubectl is for; the one of this file, if left out. */
  readonly cluster?: string;
  /** Where `bowline` is installed. */
  readonly binFolder: string;
  readonly kubectlPath: string;
}

/** What somebody does who got a token: sign in, and let `bowline` write the kubeconfig. */
export async function signIn(home: TestHome, options: SigningIn): Promise<Kubectl> {
  const { token, server, cluster = clusterName, binFolder, kubectlPath } = options;
  const environment = {
    PATH: `${binFolder}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: home.folder,
    KUBECONFIG: join(home.folder, "kubeconfig"),
  };
  const login = ["login", server.url, "--ca-file", server.caFile, "--token-stdin"];
  await succeed(home, login, { environment, stdin: token });
  await succeed(home, ["kubeconfig", cluster, "--merge"], { environment });
  return new Kubectl(kubectlPath, `bowline-${cluster}`, environment);
}
