import { BowlineError, LruMap } from "@bowline/core";
import { readRevision, type RevisionContent } from "@bowline/manifests";
import type { Store } from "@bowline/store";

/** Contents of revisions that are kept in memory, and how long one of them may be. */
const maxKept = 128;
const maxKeptLength = 64 * 1024;

/**
 * Reads what revisions have in them, which never changes. A placement is looked at whenever something is reported about
 * it, and its content is encrypted and compressed.
 */
export class RevisionContents {
  readonly #revisions: Pick<Store["revisions"], "content">;
  /** By revision. */
  readonly #contents = new LruMap<string, RevisionContent>(maxKept);

  constructor(revisions: Pick<Store["revisions"], "content">) {
    this.#revisions = revisions;
  }

  /** `NotFound` for one that is not kept any more. */
  async read(id: string): Promise<RevisionContent> {
    const known = this.#contents.get(id);
    if (known !== undefined) return known;
    const content = await this.#revisions.content(id);
    if (content === undefined) {
      throw new BowlineError("NotFound", `The content of revision ${id} is not kept any more.`);
    }
    const read = readRevision({ id, content });
    if (content.length <= maxKeptLength) this.#contents.set(id, read);
    return read;
  }
}
