import type { KubeClient } from "@bowline/kube";

/** A kind of cluster the contract can be held against. */
export interface ContractTarget {
  readonly name: string;
  start(): Promise<RunningTarget>;
}

/** What every cluster can give, simulated or real. */
export interface RunningTarget {
  /** For programs such as kubectl: a file with the administrator's credentials. */
  readonly kubeconfigPath: string;
  /** The kubectl that came with the cluster; without one, that of this machine is taken. */
  readonly kubectlPath?: string;
  /** The address of the API server, and the PEM of the authority behind its certificate. */
  readonly url: string;
  readonly caCert: string;
  /** A client with all rights, and the token it shows. */
  readonly admin: KubeClient;
  readonly adminToken: string;
  /** Somebody the server knows and who may do next to nothing. */
  readonly unprivileged: { readonly username: string; readonly token: string };
  /** A client of the same server that shows another token. It is closed with the target. */
  clientWithToken(token: string): KubeClient;
  /** Whether the controllers of Kubernetes run: owners are collected, Deployments make pods. */
  readonly hasControllers: boolean;
  /** Whether pods start by themselves. Without a kubelet a test has to play it. */
  readonly hasKubelets: boolean;
  /** Resolves when a new namespace takes objects of every kind. */
  namespaceIsReady(namespace: string): Promise<void>;
  /** Forgets all history up to now, as the API server does every five minutes. */
  compact(): Promise<void>;
  stop(): Promise<void>;
}
