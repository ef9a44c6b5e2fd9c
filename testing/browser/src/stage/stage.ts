import type { Browser } from "playwright-core";

import { startChromium } from "../browser/chromium.ts";
import { Visit, type VisitOptions } from "../browser/visit.ts";
import { ConsoleServer } from "./console-server.ts";
import { announceCluster, JoinedAgent } from "./joined-agent.ts";
import { JoinedCluster, type ClusterPlan } from "./joined-cluster.ts";
import type { StandInProvider } from "./stand-in-provider.ts";

export interface StageOptions {
  /** The clusters that join, by name or in full; none when not given. */
  readonly clusters?: readonly (string | ClusterPlan)[];
  /** More flags of the server. */
  readonly flags?: Readonly<Record<string, string>>;
  /** What makes clusters, in place of what the flags say. */
  readonly provider?: StandInProvider;
}

/** A server with the console, clusters that have joined it, and a browser. */
export class Stage implements AsyncDisposable {
  readonly server: ConsoleServer;
  readonly browser: Browser;
  readonly #clusters = new Map<string, JoinedCluster>();
  readonly #owned: AsyncDisposableStack;

  static async open({ clusters = [], flags = {}, provider }: StageOptions = {}): Promise<Stage> {
    await using opening = new AsyncDisposableStack();
    const server = opening.use(await ConsoleServer.start(flags, provider?.providers));
    const browser = await startChromium();
    opening.defer(() => browser.close());
    const stage = new Stage(server, browser, opening.move());
    try {
      await Promise.all(clusters.map((plan) => stage.join(typeof plan === "string" ? { name: plan } : plan)));
    } catch (error) {
      await stage[Symbol.asyncDispose]();
      throw error;
    }
    return stage;
  }

  private constructor(server: ConsoleServer, browser: Browser, owned: AsyncDisposableStack) {
    this.server = server;
    this.browser = browser;
    this.#owned = owned;
  }

  cluster(name: string): JoinedCluster {
    const cluster = this.#clusters.get(name);
    if (cluster === undefined) throw new Error(`No cluster ${name} has joined.`);
    return cluster;
  }

  /** One more cluster; gone with the stage. */
  async join(plan: ClusterPlan, joinToken?: string): Promise<JoinedCluster> {
    const cluster =
      joinToken === undefined
        ? await JoinedCluster.join(this.server, plan)
        : await JoinedCluster.start(this.server, plan, joinToken);
    this.#owned.use(cluster);
    this.#clusters.set(plan.name, cluster);
    return cluster;
  }

  /** The agent of a cluster that is there already, and stays; gone with the stage. */
  async joinExisting(name: string, kubeconfig: string): Promise<void> {
    const joinToken = await announceCluster(this.server, name);
    this.#owned.use(await JoinedAgent.start(this.server, kubeconfig, joinToken));
  }

  /** Somebody who has not signed in. */
  visit(options: VisitOptions = {}): Promise<Visit> {
    return Visit.open(this.browser, this.server.consoleUrl, options);
  }

  /** Somebody who has: the admin, unless a token says otherwise. */
  async signIn({ token, ...options }: VisitOptions & { readonly token?: string } = {}): Promise<Visit> {
    const visit = await this.visit(options);
    await visit.page.goto(await this.server.signInUrl(token));
    await visit.heading("Fleet").waitFor();
    return visit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#owned.disposeAsync();
  }
}
