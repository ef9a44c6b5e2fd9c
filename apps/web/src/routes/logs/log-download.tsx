import { useEffect, useRef, useState, type ReactNode } from "react";

import { openLogDownload } from "../../kube/log-download.ts";
import type { LogPart, LogSource } from "../../kube/log-feed.ts";
import { RequestFailed } from "../../live/request.ts";
import { cleanText } from "../../text/clean-text.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { saveStream } from "../../ui/save-file.ts";

export interface LogDownloadProps {
  readonly sources: readonly LogSource[];
  readonly names: readonly string[];
  readonly part: LogPart;
  readonly onClose: () => void;
}

/** Saves the log of a container to a file: all of it that the cluster has, whatever is on the page. */
export function LogDownload({ sources, names, part, onClose }: LogDownloadProps): ReactNode {
  const [note, setNote] = useState("");
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);
  const save = async (source: LogSource): Promise<void> => {
    const { cluster, namespace, pod, container } = source;
    const controller = new AbortController();
    stop.current = controller;
    setNote("Saving…");
    try {
      const name = `${[cluster, namespace, pod, container].join("_")}.log`;
      const isSaved = await saveStream(name, () => openLogDownload(source, part, controller.signal));
      setNote(isSaved ? `${name} is saved.` : "");
    } catch (error) {
      setNote(error instanceof RequestFailed ? error.failure.message : "It broke off. Try again.");
    }
  };
  return (
    <Dialog title="Download" onClose={onClose}>
      <p className="text-muted">
        The whole log that the cluster has{part.previous === true ? ", of the run before" : ""}, as it was
        written, with times.
      </p>
      <ul className="mt-2 divide-y divide-border">
        {sources.map((source, index) => (
          <li key={names[index]} className="flex items-center justify-between gap-4 py-1">
            <span className="font-mono wrap-anywhere">
              {names[index]} {cleanText(source.container, 100)}
            </span>
            <button
              type="button"
              className="rounded-sm border border-control px-3 py-1"
              onClick={() => void save(source)}
            >
              Save
            </button>
          </li>
        ))}
      </ul>
      <p role="status" className="mt-2">
        {cleanText(note, 500)}
      </p>
    </Dialog>
  );
}
