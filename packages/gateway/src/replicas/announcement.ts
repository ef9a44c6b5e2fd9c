/**
 * An event that a replica tells the others:
 * - `came`: it begins; what it said before counts no more
 * - `holds`: an agent of the cluster is connected to it
 * - `lost`: none is any more
 * - `leaves`: it takes no new requests
 */
export type ReplicaEvent =
  | { readonly event: "came" | "leaves" }
  | { readonly event: "holds" | "lost"; readonly cluster: string };

export type Announcement = ReplicaEvent & {
  readonly replica: string;
  /** Counted up by the replica: what is older than something it has said since counts no more. */
  readonly epoch: number;
};

/** Carries announcements between replicas, as well as it can: what is lost is looked up when it is needed. */
export interface Announcements {
  /** Whether nothing that others say is being missed. */
  readonly isConnected: boolean;
  send(announcement: Announcement): void;
  close(): Promise<void>;
}

export interface AnnouncementsListener {
  heard(announcement: Announcement): void;
  /** Others may have said something in the meantime, and may have missed something. */
  connected(): void;
}

export type OpenAnnouncements = (listener: AnnouncementsListener) => Announcements;

const maxLength = 1_024;
const maxNameLength = 253;

/** Undefined for text that is none, such as one of a later version. */
export function parseAnnouncement(text: string): Announcement | undefined {
  if (text.length > maxLength) return undefined;
  const { replica, epoch, event, cluster } = objectIn(text);
  if (!isName(replica) || typeof epoch !== "number") return undefined;
  if (event === "came" || event === "leaves") return { replica, epoch, event };
  const isKnown = event === "holds" || event === "lost";
  return isKnown && isName(cluster) ? { replica, epoch, event, cluster } : undefined;
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

function isName(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= maxNameLength;
}
