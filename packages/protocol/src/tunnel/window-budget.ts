/** What the windows of all streams of a tunnel may grow by, together. */
export class WindowBudget {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Grants at most half of what is free, so that a few early streams cannot leave nothing for those that follow. */
  borrow(bytes: number): number {
    const granted = Math.min(bytes, Math.floor(this.#free / 2));
    this.#free -= granted;
    return granted;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}
