import type { Priority } from "./priority.ts";

/** All the queue knows about one key. */
export interface QueueEntry {
  readonly key: string;
  priority: Priority;
  /** Somebody works on it. */
  isActive: boolean;
  activeSinceMs: number;
  /** It is to be worked on now: it stands in line or, while active, follows as soon as that is done. */
  isReady: boolean;
  readySinceMs: number;
  /** When it becomes ready; means something only while it is in the heap. */
  dueMs: number;
  /** Its place in the heap of those that wait for a time; -1 when it is not there. */
  heapIndex: number;
  /** Its neighbours in line. */
  previous: QueueEntry | undefined;
  next: QueueEntry | undefined;
}

export function newQueueEntry(key: string): QueueEntry {
  return {
    key,
    priority: "low",
    isActive: false,
    activeSinceMs: 0,
    isReady: false,
    readySinceMs: 0,
    dueMs: 0,
    heapIndex: -1,
    previous: undefined,
    next: undefined,
  };
}
