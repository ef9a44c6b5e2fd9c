/** A stretch of time in which a server worked on a key. */
interface Stretch {
  readonly worker: string;
  readonly key: string;
  /** Of its lease; undefined where there are none. */
  readonly fence: number | undefined;
  readonly fromMs: number;
  toMs: number;
}

interface LogLine {
  readonly level: string;
  readonly ts: string;
  readonly msg: string;
  readonly key: string;
  readonly fence?: number;
}

/**
 * The record of who worked on what and when, out of the lines that every server logs at debug level when a reconcile
 * begins and ends. They are written at once, so what a killed server did last is known too.
 */
export class ReconcileRecord {
  readonly #stretches: Stretch[] = [];
  readonly #open = new Map<string, Stretch>();
  readonly #errors: string[] = [];
  #begun = Promise.withResolvers<string>();

  /** The errors that servers logged. */
  get errors(): readonly string[] {
    return this.#errors;
  }

  /** How many reconciles a worker began. */
  count(worker: string): number {
    return this.#stretches.filter((stretch) => stretch.worker === worker).length;
  }

  /** Resolves when the worker begins to work on something. */
  async begins(worker: string): Promise<void> {
    while ((await this.#begun.promise) !== worker);
  }

  /** A worker logged a line; one that is not JSON is for people, and says why it could not start. */
  note(worker: string, text: string): void {
    if (!text.startsWith("{")) return void this.#errors.push(`${worker}: ${text}`);
    const line: LogLine = JSON.parse(text);
    if (line.level === "error" || line.level === "fatal") this.#errors.push(`${worker}: ${text}`);
    if (line.msg === "Reconcile begins") this.#begin(worker, line);
    if (line.msg === "Reconcile ends") this.#end(`${worker} ${line.key}`, Date.parse(line.ts));
  }

  /** The worker is gone, and with it whatever it was at. */
  ended(worker: string, atMs: number): void {
    for (const [id, stretch] of this.#open) if (stretch.worker === worker) this.#end(id, atMs);
  }

  /** Where a key was worked on by two at once, or by somebody whose fence was not higher than the one before. */
  overlaps(): string[] {
    const inOrder = this.#stretches.toSorted((one, other) => one.fromMs - other.fromMs);
    const lastOf = new Map<string, Stretch>();
    return inOrder.flatMap((stretch) => {
      const before = lastOf.get(stretch.key);
      lastOf.set(stretch.key, stretch);
      if (before === undefined || follows(before, stretch)) return [];
      return [`${JSON.stringify(before)} and ${JSON.stringify(stretch)}`];
    });
  }

  #begin(worker: string, { key, fence, ts }: LogLine): void {
    const stretch = { worker, key, fence, fromMs: Date.parse(ts), toMs: Infinity };
    this.#stretches.push(stretch);
    this.#open.set(`${worker} ${key}`, stretch);
    this.#begun.resolve(worker);
    this.#begun = Promise.withResolvers();
  }

  #end(id: string, atMs: number): void {
    const stretch = this.#open.get(id);
    this.#open.delete(id);
    if (stretch !== undefined) stretch.toMs = atMs;
  }
}

function follows(before: Stretch, after: Stretch): boolean {
  const isLater = before.toMs <= after.fromMs;
  return isLater && (before.fence === undefined || after.fence === undefined || before.fence < after.fence);
}
