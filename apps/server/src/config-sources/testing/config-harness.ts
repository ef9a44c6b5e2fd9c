import { ConfigSource, User, type Author, type SpecOf } from "@bowline/api";
import type { Store } from "@bowline/store";

import { SourceHarness, type RunningServer } from "../../sources/testing/source-harness.ts";
import { configSourceController } from "../config-source-controller.ts";

type Spec = SpecOf<typeof ConfigSource>;

const admin: Author = { user: "root", method: "token", groups: [], role: "admin" };

/** Text of a Cluster in a file. */
export const clusterText = (name: string, region = "eu-1", more = ""): string =>
  `apiVersion: bowline.dev/v1\nkind: Cluster\nmetadata: {name: ${name}${more}}\nspec: {region: ${region}}\n`;

/** Everything is applied. */
export const applied = "Ready True Applied, UpToDate True Applied";

/** A source of configuration that reads from a real git server. */
export class ConfigHarness {
  readonly sources: SourceHarness;

  private constructor(sources: SourceHarness) {
    this.sources = sources;
  }

  static async open(): Promise<ConfigHarness> {
    const harness = new ConfigHarness(await SourceHarness.open());
    await harness.user("root", "admin");
    await harness.user("ada", "editor");
    return harness;
  }

  get store(): Store {
    return this.sources.store;
  }

  async user(name: string, role: "viewer" | "editor" | "admin", disabled = false): Promise<void> {
    const metadata = { name, labels: {}, annotations: {} };
    const spec = { role, groups: [], disabled };
    await this.store.objects.write(User, name, () => ({ metadata, spec }));
  }

  /** Writes the source, as an admin unless somebody else is named. */
  async define(spec: Partial<Spec> = {}, { author = admin, name = "fleet" } = {}): Promise<void> {
    const git = {
      url: this.sources.server.url(),
      ref: "main",
      path: ".",
      interval: "1m",
      credential: "git",
      ...spec.git,
    };
    const whole: Spec = {
      kinds: ["Cluster", "AccessGrant", "WorkloadDefinition", "WorkloadInstance"],
      actsAs: "root",
      prune: true,
      pruneLimit: { count: 10, percent: 25 },
      allowEmpty: false,
      ...spec,
      git,
    };
    const metadata = { name, labels: {}, annotations: {} };
    await this.store.objects.write(ConfigSource, name, () => ({ metadata, spec: whole }), { author });
  }

  start(store = this.store): Promise<RunningServer> {
    return this.sources.start((sources) => [configSourceController(sources)], store);
  }

  /** What is pushed has been looked at when this resolves, and the source says so. */
  async push(
    files: Readonly<Record<string, string | null>>,
    said = applied,
    name = "fleet",
  ): Promise<string> {
    const commit = await this.sources.repository.commit({ files });
    await this.seen(commit, said, name);
    return commit;
  }

  /** Lets time pass until the commit was looked at, and the source says so. */
  async seen(commit: string, said = applied, name = "fleet"): Promise<void> {
    await this.sources.untilPolled(2);
    await this.sources
      .poll(async () => {
        const { source } = (await this.source(name)).status;
        return `${source?.commit ?? "none"}: ${await this.said(name)}`;
      })
      .toBe(`${commit}: ${said}`);
  }

  async until(said: string, name = "fleet"): Promise<void> {
    await this.sources.poll(() => this.said(name)).toBe(said);
  }

  async source(name = "fleet"): Promise<ConfigSource> {
    const found = await this.store.objects.get(ConfigSource, name);
    if (found === undefined) throw new Error(`there is no source ${name}`);
    return found;
  }

  async said(name = "fleet"): Promise<string> {
    const { status } = await this.source(name);
    return status.conditions
      .map(({ type, status: holds, reason }) => `${type} ${holds} ${reason}`)
      .toSorted()
      .join(", ");
  }

  /** The message of `UpToDate`. */
  async message(name = "fleet"): Promise<string> {
    const { status } = await this.source(name);
    return status.conditions.find(({ type }) => type === "UpToDate")?.message ?? "";
  }
}
