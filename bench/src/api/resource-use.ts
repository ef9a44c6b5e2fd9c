/** What a process has used since its start, and holds now. */
export interface ResourceUse {
  readonly cpuMs: number;
  readonly rssBytes: number;
}

export function resourceUse(): Promise<ResourceUse> {
  const { user, system } = process.cpuUsage();
  return Promise.resolve({ cpuMs: (user + system) / 1000, rssBytes: process.memoryUsage.rss() });
}
