import { Socket } from "node:net";

import { backoffDelayMs, BowlineError, type BackoffPolicy, type Clock, type Random } from "@bowline/core";
import { sql, type RawBuilder } from "kysely";
import { Client, Pool, TypeOverrides, types, type PoolClient } from "pg";

import { postgresBulk } from "./bulk-statement.ts";
import { createQueryBuilder, type CommitOptions, type Engine } from "./engine.ts";
import type { LongMode, LongTransaction } from "./long-transaction.ts";
import { isConnectionLost, isSerializationFailure, postgresError } from "./postgres-error.ts";
import { PostgresLongTransaction } from "./postgres-long-transaction.ts";
import type { Transaction, Row, Statement } from "./transaction.ts";

export interface PostgresOptions {
  /** `postgres://user:password@host:port/database?sslmode=…` */
  readonly url: string;
  readonly maxConnections?: number;
  /** The longest a connection may take. */
  readonly connectTimeoutMs?: number;
  /** The longest a statement may take. */
  readonly statementTimeoutMs?: number;
}

interface PostgresEngineOptions extends PostgresOptions {
  readonly clock: Pick<Clock, "sleep">;
  readonly random: Random;
}

/** A process that is held up in the middle of a transaction keeps its locks for no longer than this. */
const idleInTransactionMs = 10_000;
/** The same for one that may wait for whoever takes its rows. */
const idleInLongTransactionMs = 10 * 60_000;
const retryBackoff: BackoffPolicy = { baseMs: 5, maxMs: 500, factor: 2, jitter: 1 };
const maxAttempts = 10;
/** How much later than the server this side gives up: only when no answer comes at all. */
const answerGraceMs = 2_000;

/**
 * PostgreSQL, or what speaks like it, over a pool of connections.
 *
 * Transactions run as `read committed`: those that write objects begin with the lock on the revision and see everything
 * committed before they got it, so they run one after the other anyway. A stricter level would make each of them fail
 * that had to wait. CockroachDB takes its own, strictest level; what it refuses is tried again.
 */
export class PostgresEngine implements Engine {
  readonly dialect = "postgres";
  readonly queries = createQueryBuilder("postgres");
  readonly #pool: Pool;
  readonly #options: PostgresEngineOptions;
  readonly #clock: Pick<Clock, "sleep">;
  readonly #random: Random;
  /** Everything that has, or waits for, a connection. */
  readonly #underWay = new Set<Promise<unknown>>();
  readonly #sockets = new Set<Socket>();
  #closing: Promise<void> | undefined;

  constructor(options: PostgresEngineOptions) {
    const { connectTimeoutMs = 5_000, statementTimeoutMs = 10_000, maxConnections = 10 } = options;
    this.#options = options;
    this.#clock = options.clock;
    this.#random = options.random;
    this.#pool = new Pool({
      connectionString: options.url,
      max: maxConnections,
      connectionTimeoutMillis: connectTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: Math.max(statementTimeoutMs, idleInTransactionMs),
      query_timeout: statementTimeoutMs + answerGraceMs,
      keepAlive: true,
      application_name: "bowline",
      types: numberTypes(),
      stream: () => this.#newSocket(),
    });
    // An idle connection that breaks is taken out of the pool; the next query opens another.
    this.#pool.on("error", () => {});
    // One that breaks while it is borrowed, between two statements, tells it by the next of them.
    this.#pool.on("connect", (client) => void client.on("error", () => {}));
  }

  async read<T>(transaction: () => Transaction<T>): Promise<T> {
    return this.#withClient((client) => runTransaction(client, transaction()));
  }

  async readSnapshot<T>(transaction: () => Transaction<T>): Promise<T> {
    return this.#transaction("begin isolation level repeatable read read only", transaction);
  }

  async commit<T>(transaction: () => Transaction<T>, options: CommitOptions = {}): Promise<T> {
    const { timeoutMs, isOneStatement = false } = options;
    const begin = "begin isolation level read committed";
    const limited =
      timeoutMs === undefined ? begin : `${begin}; set local statement_timeout = ${Math.ceil(timeoutMs)}`;
    for (let attempt = 0; ; attempt += 1) {
      try {
        if (isOneStatement) return await this.read(transaction);
        return await this.#transaction(limited, transaction, timeoutMs);
      } catch (error) {
        if (!isSerializationFailure(error) || attempt + 1 >= maxAttempts) throw error;
      }
      await this.#clock.sleep(backoffDelayMs(attempt, retryBackoff, this.#random));
    }
  }

  async openLong(mode: LongMode): Promise<LongTransaction> {
    const { url, connectTimeoutMs = 5_000 } = this.#options;
    const client = new Client({
      connectionString: url,
      connectionTimeoutMillis: connectTimeoutMs,
      idle_in_transaction_session_timeout: idleInLongTransactionMs,
      keepAlive: true,
      application_name: "bowline",
      types: numberTypes(),
    });
    return PostgresLongTransaction.open(client, mode);
  }

  nowMs(): RawBuilder<number> {
    return sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`;
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  /** A pool that is ended while somebody waits for a connection would leave them waiting until their limit. */
  async #end(): Promise<void> {
    await Promise.allSettled(this.#underWay);
    await this.#pool.end();
    // A database that has fallen silent never says goodbye; the process does not wait for it.
    for (const socket of this.#sockets) socket.unref();
  }

  #newSocket(): Socket {
    const socket = new Socket();
    this.#sockets.add(socket);
    return socket.once("close", () => this.#sockets.delete(socket));
  }

  async #transaction<T>(begin: string, transaction: () => Transaction<T>, timeoutMs?: number): Promise<T> {
    return this.#withClient(async (client) => {
      await client.query(begin);
      try {
        const result = await runTransaction(client, transaction(), timeoutMs);
        await client.query("commit");
        return result;
      } catch (error) {
        if (!isConnectionLost(error)) await client.query("rollback");
        throw error;
      }
    });
  }

  async #withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) {
      throw new BowlineError("DatabaseUnavailable", "The database has been closed.");
    }
    const running = this.#borrow(work);
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  async #borrow<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    let client: PoolClient | undefined;
    let isBroken = false;
    try {
      client = await this.#pool.connect();
      return await work(client);
    } catch (error) {
      isBroken = isConnectionLost(error);
      throw postgresError(error);
    } finally {
      // A connection in an unknown state is not used again.
      client?.release(isBroken);
    }
  }
}

async function runTransaction<T>(
  client: PoolClient,
  transaction: Transaction<T>,
  timeoutMs?: number,
): Promise<T> {
  let step = transaction.next();
  while (step.done !== true) step = transaction.next(await execute(client, step.value, timeoutMs));
  return step.value;
}

async function execute(
  client: PoolClient,
  statement: Statement,
  timeoutMs: number | undefined,
): Promise<readonly Row[]> {
  const { sql: text, parameters } = "rows" in statement ? postgresBulk(statement) : statement;
  const limit = timeoutMs === undefined ? {} : { query_timeout: timeoutMs + answerGraceMs };
  const result = await client.query<Row>({ text, values: [...parameters], ...limit });
  return result.rows;
}

/** Numbers of 64 bits come as text by default; ours stay below 2^53, and times and counts are wanted as numbers. */
function numberTypes(): TypeOverrides {
  const overrides = new TypeOverrides();
  overrides.setTypeParser(types.builtins.INT8, Number);
  return overrides;
}
