import type {
  Announcement,
  Announcements,
  AnnouncementsListener,
  OpenAnnouncements,
} from "../replicas/announcement.ts";

/** Carries announcements within the process, until it is told to fail. */
export class AnnouncementBus {
  readonly sent: Announcement[] = [];
  readonly #listeners = new Set<AnnouncementsListener>();
  #isUp = true;

  readonly open: OpenAnnouncements = (listener): Announcements => {
    this.#listeners.add(listener);
    if (this.#isUp) listener.connected();
    const isUp = (): boolean => this.#isUp;
    return {
      get isConnected() {
        return isUp();
      },
      send: (announcement) => this.#send(announcement),
      close: () => {
        this.#listeners.delete(listener);
        return Promise.resolve();
      },
    };
  };

  /** Nobody is heard any more. */
  fail(): void {
    this.#isUp = false;
  }

  recover(): void {
    this.#isUp = true;
    for (const listener of this.#listeners) listener.connected();
  }

  #send(announcement: Announcement): void {
    if (!this.#isUp) return;
    this.sent.push(announcement);
    for (const listener of this.#listeners) listener.heard(announcement);
  }
}
