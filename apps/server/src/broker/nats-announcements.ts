import type { Clock, Random } from "@bowline/core";
import type { NatsConnection } from "@nats-io/transport-node";

import { dialNats, publicAddress, type NatsOptions } from "./jetstream/dial-nats.ts";
import { NatsLink } from "./jetstream/nats-link.ts";
import {
  parseAnnouncement,
  type Announcement,
  type Announcements,
  type AnnouncementsListener,
} from "@bowline/gateway";

export interface NatsAnnouncementsOptions {
  readonly nats: NatsOptions;
  /** Tells installations apart that share a NATS. */
  readonly name: string;
  readonly listener: AnnouncementsListener;
  readonly clock: Clock;
  readonly random: Random;
}

/** Announcements over plain NATS. Nothing is kept for those who are away. */
export class NatsAnnouncements implements Announcements {
  readonly #options: NatsAnnouncementsOptions;
  readonly #subject: string;
  readonly #link: NatsLink;
  /** The connection that NATS has taken the subscription on. */
  #heardBy: NatsConnection | undefined;

  constructor(options: NatsAnnouncementsOptions) {
    const { nats, name, clock, random } = options;
    this.#options = options;
    this.#subject = `${name}.replicas`;
    this.#link = new NatsLink({
      address: publicAddress(nats.url),
      dial: () => dialNats(nats, name),
      onConnected: (connection) => void this.#listen(connection),
      clock,
      random,
    });
  }

  get isConnected(): boolean {
    return this.#heardBy?.isClosed() === false;
  }

  send(announcement: Announcement): void {
    if (!this.#link.isConnected) return;
    this.#link.connection.publish(this.#subject, JSON.stringify(announcement));
  }

  close(): Promise<void> {
    return this.#link.close();
  }

  async #listen(connection: NatsConnection): Promise<void> {
    const { listener } = this.#options;
    connection.subscribe(this.#subject, {
      callback: (error, message) => {
        const announcement = error === null ? parseAnnouncement(message.string()) : undefined;
        if (announcement !== undefined) listener.heard(announcement);
      },
    });
    try {
      // Until NATS has taken the subscription, what others send passes by.
      await connection.flush();
    } catch {
      // The connection has ended again; the next one is told.
      return;
    }
    this.#heardBy = connection;
    listener.connected();
  }
}
