import { BowlineError } from "@bowline/core";
import type { ReportBatch, reportCall, ReportItem, ReportRequest } from "@bowline/protocol";

import { refusals, type Refusal } from "./refusals.ts";

/** Batches under way without an ack: enough to keep a connection busy while one is being stored. */
export const maxUnacknowledged = 4;

/** Items of one batch, which is stored without a break where the database is SQLite. */
export const maxItems = 500;

export type ReportAnswer = Parameters<typeof reportCall.response.encode>[0];

export interface RefusedPart {
  readonly index: number;
  readonly refusal: Refusal;
}

/** Takes in the items of one topic. */
export interface ReportIntake {
  /**
   * Reads the items of a batch and hands them to the store; batches are handed over in their order. `stored` resolves to
   * the items that are not kept.
   */
  take(
    sequence: number,
    items: readonly ReportItem[],
  ): Promise<{ readonly stored: Promise<readonly RefusedPart[]> }>;
  /** Everything that exists has been sent. */
  complete(sequence: number): Promise<void>;
}

export interface OpenReportOptions {
  readonly intake: ReportIntake;
  readonly send: (answer: ReportAnswer) => void;
  /** Ends the call. */
  readonly fail: (error: BowlineError) => void;
}

/**
 * A report under way. Batches are handed to the store without waiting for the one before, but no more of them than the
 * agent was told: with a database that is slow, nothing more is read from the agent until there is room again.
 */
export class OpenReport {
  readonly #options: OpenReportOptions;
  /** Batches that are being stored, in order; each settles when it was acknowledged or has failed. */
  readonly #underWay: Promise<void>[] = [];

  constructor(options: OpenReportOptions) {
    this.#options = options;
  }

  /** Takes the next message; resolves when there is room for another. */
  async take({ message }: ReportRequest): Promise<void> {
    if (message.case === "batch") {
      while (this.#underWay.length >= maxUnacknowledged) await this.#underWay[0];
      await this.#takeBatch(message.value);
    } else if (message.case === "complete") {
      await this.idle();
      const sequence = sequenceOf(message.value);
      await this.#options.intake.complete(sequence);
      this.#acknowledge(sequence, []);
    }
  }

  /** Resolves when nothing is being stored. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  async #takeBatch(batch: ReportBatch): Promise<void> {
    const sequence = sequenceOf(batch);
    if (batch.items.length > maxItems) {
      throw new BowlineError("ProtocolViolation", `A batch has no more than ${maxItems} items.`);
    }
    const { stored } = await this.#options.intake.take(sequence, batch.items);
    const storing = stored
      .then((refused) => this.#acknowledge(sequence, refused))
      .catch((error: unknown) => this.#options.fail(BowlineError.from(error)))
      .finally(() => void this.#underWay.shift());
    this.#underWay.push(storing);
  }

  #acknowledge(sequence: number, refused: readonly RefusedPart[]): void {
    const parts = refused.map(({ index, refusal }) => ({
      sequence: BigInt(sequence),
      index,
      reason: refusals[refusal],
    }));
    const value = { sequence: BigInt(sequence), refused: parts };
    this.#options.send({ message: { case: "ack", value } });
  }
}

function sequenceOf({ sequence }: { readonly sequence: bigint }): number {
  if (sequence >= 1n && sequence <= BigInt(Number.MAX_SAFE_INTEGER)) return Number(sequence);
  throw new BowlineError("ProtocolViolation", "Batches are counted from 1.");
}
