import { IdPool, IntColumn } from "./int-column.ts";

/**
 * Texts that many say, each kept once for as long as somebody says it: pointers, properties of the replicas of a
 * workload, labels. A text has a number, by which it is told apart.
 */
export class Texts {
  #ids: Map<string, number> = new Map();
  #texts: string[] = [];
  #uses = new IntColumn();
  #pool = new IdPool();

  copy(): Texts {
    const copy = new Texts();
    copy.#ids = new Map(this.#ids);
    copy.#texts = this.#texts.slice();
    copy.#uses = this.#uses.copy();
    copy.#pool = this.#pool.copy();
    return copy;
  }

  /** The number of a text, which whoever asks gives back by `release`. */
  take(text: string): number {
    const known = this.#ids.get(text);
    if (known !== undefined) {
      this.#uses.add(known, 1);
      return known;
    }
    const id = this.#pool.take();
    this.#ids.set(text, id);
    this.#texts[id] = text;
    this.#uses.set(id, 1);
    return id;
  }

  release(id: number): void {
    if (this.#uses.add(id, -1) > 0) return;
    this.#ids.delete(this.get(id));
    this.#texts[id] = "";
    this.#pool.giveBack(id);
  }

  /** The text of a number; an empty one for `none`. */
  get(id: number): string {
    return this.#texts[id] ?? "";
  }

  /** The number of a text if anybody says it. */
  find(text: string): number | undefined {
    return this.#ids.get(text);
  }

  get size(): number {
    return this.#ids.size;
  }
}
