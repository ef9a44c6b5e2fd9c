import type { Clock } from "@bowline/core";
import { bearer } from "./bearer.ts";
import type { ClusterConnection } from "./cluster-connection.ts";
import type { Credential, Credentials } from "./credential.ts";
import { ExecCredentials, type ExecEnvironment } from "./exec-credentials.ts";
import { ReloadedFile } from "./reloaded-file.ts";

export interface CredentialDependencies {
  readonly clock: Clock;
  readonly exec: ExecEnvironment;
}

export function createCredentials(
  connection: ClusterConnection,
  { clock, exec }: CredentialDependencies,
): Credentials {
  const { auth } = connection;
  if (auth.type === "token") return fixed({ authorization: bearer(auth.token, "the kubeconfig") });
  if (auth.type === "basic") return fixed({ authorization: basic(auth.username, auth.password) });
  if (auth.type === "tokenFile") {
    return new TokenFileCredentials(auth.file, clock);
  }
  if (auth.type === "exec") return new ExecCredentials(auth.plugin, connection, { ...exec, clock });
  return fixed({});
}

function basic(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`, "utf8").toString("base64")}`;
}

function fixed(credential: Credential): Credentials {
  return {
    current: () => Promise.resolve(credential),
    replace: () => Promise.resolve(undefined),
    close: () => undefined,
  };
}

class TokenFileCredentials implements Credentials {
  readonly #file: ReloadedFile;
  readonly #source: string;

  constructor(path: string, clock: Clock) {
    this.#file = new ReloadedFile(path, "the token file", clock);
    this.#source = `the file ${path}`;
  }

  async current(): Promise<Credential> {
    return { authorization: bearer(await this.#file.text(), this.#source) };
  }

  async replace(used: Credential): Promise<Credential | undefined> {
    const authorization = bearer(await this.#file.reload(), this.#source);
    return authorization === used.authorization ? undefined : { authorization };
  }

  close(): void {
    // Holds nothing open between reads.
  }
}
