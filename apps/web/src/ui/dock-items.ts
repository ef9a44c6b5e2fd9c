import type { ReactNode } from "react";

/** Something that stays open at the bottom of the page, wherever one goes. */
export interface DockItem {
  /** Tells items apart: the same one is not opened twice. */
  readonly id: string;
  readonly title: string;
  readonly content: ReactNode;
}

export interface DockSnapshot {
  readonly items: readonly DockItem[];
  /** The one in front; undefined where there is none. */
  readonly front: string | undefined;
  readonly isFolded: boolean;
}

/** What is open at the bottom of the page. */
export class DockItems {
  readonly #listeners = new Set<() => void>();
  #snapshot: DockSnapshot = { items: [], front: undefined, isFolded: false };

  get snapshot(): DockSnapshot {
    return this.#snapshot;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Opens an item in front of the others, or brings it there. */
  open(item: DockItem): void {
    const { items } = this.#snapshot;
    const isOpen = items.some(({ id }) => id === item.id);
    this.#set({ items: isOpen ? items : [...items, item], front: item.id, isFolded: false });
  }

  show(id: string): void {
    this.#set({ ...this.#snapshot, front: id, isFolded: false });
  }

  fold(isFolded: boolean): void {
    this.#set({ ...this.#snapshot, isFolded });
  }

  /** Closes an item; its neighbour comes to the front. */
  close(id: string): void {
    const { items, front, isFolded } = this.#snapshot;
    const at = items.findIndex((item) => item.id === id);
    const left = items.filter((item) => item.id !== id);
    const next = front === id ? (left[at] ?? left.at(-1))?.id : front;
    this.#set({ items: left, front: next, isFolded });
  }

  /** Nothing of one session is there for the next. */
  clear(): void {
    this.#set({ items: [], front: undefined, isFolded: false });
  }

  #set(snapshot: DockSnapshot): void {
    this.#snapshot = snapshot;
    for (const listener of this.#listeners) listener();
  }
}

export const dock = new DockItems();
