import { withDeadline, type Clock } from "@bowline/core";
import { GitError, refPrefixes, type GitCredential, type RefClient, type resolveRef } from "@bowline/git";

export interface RefQuestion {
  readonly url: string;
  readonly credential: GitCredential | undefined;
  /** Branches, tags and full names, as sources have them. */
  readonly refs: readonly string[];
  readonly signal: AbortSignal;
}

export type SeenRefs = Awaited<ReturnType<RefClient["listRefs"]>>;
export type SeenRef = ReturnType<typeof resolveRef>;

interface Round {
  readonly prefixes: Set<string>;
  readonly answer: PromiseWithResolvers<SeenRefs>;
  readonly question: Omit<RefQuestion, "refs" | "signal">;
}

/**
 * Asks each repository one thing at a time. Whoever comes while it is being asked shares the next question with all
 * others that came by then: what they hear is never older than their own question.
 */
export class SharedRefs {
  readonly #client: Pick<RefClient, "listRefs">;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #asking = new Set<string>();
  readonly #next = new Map<string, Round>();

  constructor(client: Pick<RefClient, "listRefs">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  async list({ refs, signal, ...question }: RefQuestion): Promise<SeenRefs> {
    const prefixes = refs.flatMap(refPrefixes);
    // Commits that are named by their ids are nothing to ask about; without a prefix, all refs would be told.
    if (prefixes.length === 0) return [];
    const key = JSON.stringify([question.url, question.credential?.fingerprint]);
    const round = this.#roundOf(key, question);
    for (const prefix of prefixes) round.prefixes.add(prefix);
    if (!this.#asking.has(key)) void this.#ask(key);
    return withDeadline(() => round.answer.promise, {
      clock: this.#clock,
      limitMs: Number.POSITIVE_INFINITY,
      signal,
      onTimeout: () => new GitError("Cancelled", "The question was given up."),
    });
  }

  /** Gives up whatever is being asked. */
  close(): void {
    this.#closing.abort(new GitError("Cancelled", "Repositories are not asked any more."));
  }

  #roundOf(key: string, question: Round["question"]): Round {
    const known = this.#next.get(key);
    if (known !== undefined) return known;
    const round = { question, prefixes: new Set<string>(), answer: Promise.withResolvers<SeenRefs>() };
    // Those who asked may all have gone.
    round.answer.promise.catch(() => {});
    this.#next.set(key, round);
    return round;
  }

  async #ask(key: string): Promise<void> {
    this.#asking.add(key);
    for (let round = this.#take(key); round !== undefined; round = this.#take(key)) {
      const { question, prefixes, answer } = round;
      const asked = { ...question, prefixes: [...prefixes], signal: this.#closing.signal };
      await this.#client.listRefs(asked).then(answer.resolve, answer.reject);
    }
    this.#asking.delete(key);
  }

  #take(key: string): Round | undefined {
    const round = this.#next.get(key);
    this.#next.delete(key);
    return round;
  }
}
