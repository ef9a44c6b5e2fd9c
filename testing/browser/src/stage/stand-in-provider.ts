import type { startServer } from "@bowline/server";

type Providers = NonNullable<Parameters<typeof startServer>[1]["providers"]>;
type Provider = Providers extends ReadonlyMap<string, infer Each> ? Each : never;
type Answer = Awaited<ReturnType<Provider["observe"]>>;

/** As soon as a test has something else to say. */
const soonMs = 100;

/** Stands in for what makes clusters: says what a test tells it to, and makes nothing. */
export class StandInProvider {
  /** How every cluster stands at the moment. */
  answer: Answer = { state: "creating" };
  readonly #provider: Provider;

  constructor() {
    const told = (): Promise<Answer> => Promise.resolve({ ...this.answer, retryAfterMs: soonMs });
    this.#provider = {
      name: "kind",
      plan: ({ cluster }) =>
        Promise.resolve({
          steps: [`network of ${cluster.name}`, `${cluster.spec.maxNodes ?? 1} machines of ${cluster.name}`],
          hourlyCost: { amount: 0.34, currency: "USD" },
          expectedSeconds: 720,
        }),
      observe: told,
      next: told,
      delete: told,
      credentials: () => Promise.reject(new Error("There is no cluster to get into.")),
    };
  }

  /** As a server takes them. */
  get providers(): Providers {
    return new Map([[this.#provider.name, this.#provider]]);
  }
}
