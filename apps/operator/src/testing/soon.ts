/** For `expect.poll`: how long a test waits for what no event of its own tells. */
export const soon = { timeout: 15_000, interval: 20 } as const;
