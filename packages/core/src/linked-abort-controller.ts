/**
 * An abort controller that also aborts when its parent does, and lets go of the parent when disposed.
 *
 * `AbortSignal.any` holds on to its result for as long as the parent lives; under a parent that lives as long as the
 * process that is a leak for every call. Here the owner says when it is done.
 */
export class LinkedAbortController extends AbortController implements Disposable {
  readonly #parent: AbortSignal | undefined;
  readonly #onParentAbort = (): void => this.abort(this.#parent?.reason);

  constructor(parent?: AbortSignal) {
    super();
    this.#parent = parent;
    if (parent?.aborted === true) this.#onParentAbort();
    else parent?.addEventListener("abort", this.#onParentAbort, { once: true });
  }

  [Symbol.dispose](): void {
    this.#parent?.removeEventListener("abort", this.#onParentAbort);
  }
}
