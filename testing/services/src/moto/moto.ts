import { join } from "node:path";

import { freePort } from "../free-port.ts";
import { ManagedProcess } from "../managed-process.ts";
import { motoPython, whyNoMoto, type MotoVenvOptions } from "./moto-venv.ts";

export interface MotoServer extends AsyncDisposable {
  /** What a client takes for AWS: an account with these twelve digits, which is empty as long as nobody used it. */
  accountUrl(account: string): string;
  /** One account, and the only one whose rights can be enforced: signatures are of the path that moto sees. */
  readonly url: string;
  /** From now on each call needs a key of a user of that account, who may do what is asked for; or anybody may do anything. */
  enforce(isEnforced: boolean): Promise<void>;
}

export interface MotoTest {
  readonly skip: boolean;
  /** The first test on a machine installs moto. */
  readonly timeoutMs: number;
}

/** Whether tests can have a moto here. Where they cannot, it is told why: tests that are skipped say nothing. */
export async function motoTest(env: NodeJS.ProcessEnv): Promise<MotoTest> {
  const obstacle = await whyNoMoto(env);
  if (obstacle !== undefined) process.stderr.write(`Tests with moto did not run: ${obstacle}.\n`);
  return { skip: obstacle !== undefined, timeoutMs: 600_000 };
}

/** It starts within some 5 seconds; neighbours may make it slower. */
const readyTimeoutMs = 120_000;

/**
 * The server of moto, a stand-in for AWS that others have written, on a free port of loopback: some 200 MB large. What
 * it lacks and is filled in is listed in `moto_for_tests.py`. The first on a machine installs 316 MB of Python.
 */
export async function startMoto({
  env = process.env,
  output = process.stderr,
  signal = new AbortController().signal,
}: Partial<MotoVenvOptions> = {}): Promise<MotoServer> {
  const python = await motoPython({ env, output, signal });
  const port = await freePort();
  let ready = false;
  const server = await ManagedProcess.start({
    name: "moto",
    command: python,
    args: ["-I", join(import.meta.dirname, "moto_for_tests.py"), String(port)],
    // Roles of clusters have policies of AWS. Of this machine nothing is to reach it, keys of AWS least of all.
    env: { MOTO_IAM_LOAD_MANAGED_POLICIES: "true", PATH: env["PATH"] },
    onOutput: (chunk) => (ready ||= chunk.toString("utf8").includes("Ready")),
    isReady: () => Promise.resolve(ready),
    readyTimeoutMs,
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    accountUrl: (account) => `${url}/accounts/${account}`,
    enforce: async (isEnforced) => {
      // Moto is told how many calls are made before it begins.
      const body = isEnforced ? "0" : "inf";
      const { status } = await fetch(`${url}/moto-api/reset-auth`, { method: "POST", body });
      if (status !== 200) throw new Error(`Moto has answered ${status} to be told whom to let in.`);
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
