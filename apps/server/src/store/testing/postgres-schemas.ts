import { Client } from "pg";

/** Empty places in one PostgreSQL server, made much quicker than databases. */
export class PostgresSchemas {
  readonly #url: string;
  readonly #admin: Client;
  #count = 0;

  static async connect(url: string): Promise<PostgresSchemas> {
    const admin = new Client(url);
    await admin.connect();
    return new PostgresSchemas(url, admin);
  }

  private constructor(url: string, admin: Client) {
    this.#url = url;
    this.#admin = admin;
  }

  /** The URL of a new one, in which every connection finds itself. */
  async create(): Promise<string> {
    this.#count += 1;
    const name = `schema_${this.#count}`;
    await this.#admin.query(`create schema ${name}`);
    return `${this.#url}?options=${encodeURIComponent(`-c search_path=${name}`)}`;
  }

  close(): Promise<void> {
    return this.#admin.end();
  }
}
