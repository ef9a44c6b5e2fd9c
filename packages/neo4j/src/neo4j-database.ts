import { asRecord, BowlineError, withDeadline, withoutCredentials, type Clock } from "@bowline/core";
import type { Driver, RecordShape, Transaction } from "neo4j-driver";

export interface Neo4jOptions {
  /** `bolt://…` or `neo4j://…`, with `+s` for TLS. */
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
  readonly clock: Clock;
}

/** Runs statements of one transaction, each after those before it. */
export type Run = <Row extends RecordShape = RecordShape>(
  cypher: string,
  parameters?: Readonly<Record<string, unknown>>,
) => Promise<Row[]>;

const connectTimeoutMs = 10_000;
/** A batch takes a second. A connection over which nothing comes back is not waited for any longer. */
const transactionLimitMs = 120_000;

/** One database of a Neo4j. Nothing is connected before the first transaction. */
export class Neo4jDatabase implements AsyncDisposable {
  /** For messages. */
  readonly address: string;
  readonly #driver: Driver;
  readonly #options: Neo4jOptions;

  private constructor(driver: Driver, options: Neo4jOptions) {
    this.#driver = driver;
    this.#options = options;
    this.address = withoutCredentials(options.url);
  }

  /** Loads the driver: it is for those who have a Neo4j. `InvalidArgument` for an address that it does not understand. */
  static async open(options: Neo4jOptions): Promise<Neo4jDatabase> {
    const { default: neo4j } = await import("neo4j-driver");
    try {
      const driver = neo4j.driver(options.url, neo4j.auth.basic(options.user, options.password), {
        maxConnectionPoolSize: 2,
        connectionTimeout: connectTimeoutMs,
        connectionAcquisitionTimeout: 2 * connectTimeoutMs,
        disableLosslessIntegers: true,
        userAgent: "bowline",
        telemetryDisabled: true,
      });
      return new Neo4jDatabase(driver, options);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new BowlineError("InvalidArgument", `Neo4j cannot be reached by that address: ${why}`, { cause });
    }
  }

  /**
   * Commits what the work has run, or nothing of it. When the connection is lost on the way it may be either: who tries
   * again looks first.
   */
  async transaction<T>(work: (run: Run) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = this.#driver.session({ database: this.#options.database });
    try {
      return await withDeadline(
        async () => {
          const transaction = session.beginTransaction({ timeout: transactionLimitMs });
          const result = await work(runIn(transaction));
          await transaction.commit();
          return result;
        },
        {
          clock: this.#options.clock,
          limitMs: transactionLimitMs,
          signal,
          onTimeout: () =>
            new BowlineError("Timeout", `Neo4j at ${this.address} did not answer in 2 minutes.`),
        },
      );
    } catch (error) {
      throw this.#failure(error);
    } finally {
      // Rolls back what was not committed. Over a connection that is silent it would wait for ever.
      void session.close().catch(() => {});
    }
  }

  /** Ends every connection, transactions under way included. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#driver.close();
  }

  #failure(error: unknown): BowlineError {
    if (error instanceof BowlineError) return error;
    const { code, message } = asRecord(error);
    const at = `Neo4j at ${this.address}`;
    if (
      code === "Neo.ClientError.Security.Unauthorized" ||
      code === "Neo.ClientError.Security.AuthenticationRateLimit"
    ) {
      return new BowlineError("Unauthorized", `${at} does not take this user and password.`, {
        cause: error,
      });
    }
    if (code === "Neo.ClientError.Database.DatabaseNotFound") {
      const { database } = this.#options;
      return new BowlineError("NotFound", `${at} has no database "${database}".`, { cause: error });
    }
    if (code === "ServiceUnavailable" || code === "SessionExpired") {
      return new BowlineError("DatabaseUnavailable", `${at} cannot be reached: ${String(message)}`, {
        cause: error,
      });
    }
    return new BowlineError("ServerError", `${at} refused a transaction: ${String(message)}`, {
      cause: error,
    });
  }
}

function runIn(transaction: Transaction): Run {
  return async <Row extends RecordShape>(
    cypher: string,
    parameters: Readonly<Record<string, unknown>> = {},
  ) => {
    const { records } = await transaction.run<Row>(cypher, parameters);
    return records.map((record) => record.toObject());
  };
}
