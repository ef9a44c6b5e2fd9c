import { EntryList, patience, priorities, type Priority, type QueueEntry } from "./queue-entry.ts";

interface Level {
  readonly priority: Priority;
  readonly line: EntryList;
  /** How often in a row a higher level was served while this one had keys. */
  passedOver: number;
}

/** The keys that can be worked on now, in the order in which they will be. */
export class ReadyEntries {
  /** The highest first. */
  readonly #levels: readonly Level[] = priorities.map((priority) => ({
    priority,
    line: new EntryList(),
    passedOver: 0,
  }));
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Since when the first of any level has been ready; the next one to go is among them. */
  get oldestSinceMs(): number | undefined {
    const heads = this.#levels.flatMap(({ line }) => line.first?.readySinceMs ?? []);
    return heads.length === 0 ? undefined : Math.min(...heads);
  }

  push(entry: QueueEntry): void {
    this.#lineOf(entry.priority).push(entry);
    this.#length += 1;
  }

  remove(entry: QueueEntry): void {
    this.#lineOf(entry.priority).remove(entry);
    this.#length -= 1;
  }

  /** Takes the next one: the first of the highest level, unless the patience of a lower one has ended. */
  shift(): QueueEntry | undefined {
    const chosen = this.#nextLevel();
    const entry = chosen?.line.first;
    if (chosen === undefined || entry === undefined) return undefined;
    this.remove(entry);
    this.#countTurn(chosen);
    return entry;
  }

  #nextLevel(): Level | undefined {
    if (this.#length === 0) return undefined;
    const impatient = this.#levels.findLast(
      ({ priority, line, passedOver }) => line.length > 0 && passedOver >= patience[priority],
    );
    return impatient ?? this.#levels.find(({ line }) => line.length > 0);
  }

  #countTurn(served: Level): void {
    for (const level of this.#levels) {
      // One that has nothing waiting does not save up turns.
      level.passedOver = level === served || level.line.length === 0 ? 0 : level.passedOver + 1;
    }
  }

  #lineOf(priority: Priority): EntryList {
    // Written out because this is asked for every key, and finding it in the list costs more than all the rest.
    const [high, normal, low] = this.#levels;
    const level = priority === "high" ? high : priority === "normal" ? normal : low;
    if (level === undefined) throw new RangeError(`There is no level for priority ${priority}.`);
    return level.line;
  }
}
