import { Cluster } from "@bowline/api";
import { useQuery } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useEffect, useId, useMemo, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { graphQuery } from "../../live/graph-question.ts";
import { useObjects } from "../../live/live-context.tsx";
import { cleanText } from "../../text/clean-text.ts";
import { pageAddress } from "../../text/page-link.tsx";
import { useDebounced } from "../graph/node-field.tsx";
import {
  countText,
  nodeOfEntry,
  paletteEntries,
  RecentNodes,
  type PaletteEntry,
  type PaletteSources,
} from "./palette-entries.ts";
import { narrowedInput, readPaletteInput } from "./palette-input.ts";

export interface PaletteProps extends Pick<PaletteSources, "pages" | "actions"> {
  readonly onClose: () => void;
}

const debounceMs = 80;
/** What was opened from here; it is gone with the page. */
const recent = new RecentNodes();

/** Finds whatever there is, and goes there: a field with a list, in which the focus stays in the field. */
export function Palette({ pages, actions, onClose }: PaletteProps): ReactNode {
  const router = useRouter();
  const id = useId();
  const [typed, setTyped] = useState("");
  const [at, setAt] = useState(0);
  const input = useMemo(() => readPaletteInput(typed), [typed]);
  const hits = useHits(typed);
  const { items } = useObjects(Cluster);
  const sources: PaletteSources = {
    pages,
    actions,
    clusters: [...items.values()].map(({ metadata }) => metadata.name).toSorted(),
    recent: recent.nodes,
    hits,
  };
  const entries = paletteEntries(input, sources);
  const active = Math.min(at, entries.length - 1);
  const open = (entry: PaletteEntry | undefined, isNewTab = false): void => {
    if (entry === undefined) return;
    const node = nodeOfEntry(entry, sources);
    if (node !== undefined) recent.add(node);
    if (entry.path === undefined && entry.run === undefined) {
      if (entry.narrows !== undefined) narrow(entry);
      return;
    }
    onClose();
    entry.run?.();
    if (entry.path === undefined) return;
    if (isNewTab) window.open(pageAddress(entry.path), "_blank", "noopener");
    else router.history.push(pageAddress(entry.path));
  };
  const narrow = ({ narrows }: PaletteEntry): void => {
    if (narrows === undefined) return;
    setTyped(narrowedInput(typed, narrows.prefix, narrows.name));
    setAt(0);
  };
  const onKey = (event: KeyboardEvent): void => {
    const entry = entries[active];
    const next = moves.get(event.key)?.(active, entries.length);
    if (next !== undefined) setAt(Math.max(0, Math.min(entries.length - 1, next)));
    else if (event.key === "Enter") open(entry, event.ctrlKey || event.metaKey);
    else if (event.key === "Tab" && entry?.narrows !== undefined) narrow(entry);
    else return;
    event.preventDefault();
  };
  return (
    <Frame onClose={onClose}>
      <input
        role="combobox"
        aria-expanded={entries.length > 0}
        aria-controls={`${id}-list`}
        aria-activedescendant={entries.length === 0 ? undefined : `${id}-${active}`}
        aria-autocomplete="list"
        aria-label="Find objects, pages, clusters, questions and actions"
        autoComplete="off"
        spellCheck={false}
        // oxlint-disable-next-line no-autofocus -- the one thing in a window that was asked for
        autoFocus
        value={typed}
        placeholder="Find   : kind   @ cluster   # label   ? question   > action"
        className="w-full border-b border-border bg-transparent px-4 py-3 text-lg outline-none"
        onChange={({ target }) => {
          setTyped(target.value);
          setAt(0);
        }}
        onKeyDown={onKey}
      />
      <Entries id={id} entries={entries} active={active} onOpen={open} />
      <p role="status" className="sr-only">
        {countText(entries)}
      </p>
      <p className="border-t border-border px-4 py-1.5 text-xs text-muted">
        ↑ ↓ move · Enter opens · Ctrl Enter in a new tab · Tab narrows · Esc closes
      </p>
    </Frame>
  );
}

const moves: ReadonlyMap<string, (at: number, count: number) => number> = new Map([
  ["ArrowDown", (at: number, count: number) => (at + 1 >= count ? 0 : at + 1)],
  ["ArrowUp", (at: number, count: number) => (at <= 0 ? count - 1 : at - 1)],
  ["PageDown", (at: number) => at + 8],
  ["PageUp", (at: number) => at - 8],
]);

/** Objects that the server finds. The search before is given up as soon as one types on. */
function useHits(typed: string): PaletteSources["hits"] {
  const { mode, text, kind, cluster } = readPaletteInput(useDebounced(typed, debounceMs));
  const isSearch = (mode === "all" || mode === "label") && text !== "";
  const query = graphQuery("search", { text, kind, cluster, limit: 50 }, { isEnabled: isSearch });
  const { data } = useQuery(query);
  if (!isSearch || data === undefined) return [];
  return mode === "label" ? data.data.hits.filter(({ field }) => field === "label") : data.data.hits;
}

function Frame({ onClose, children }: { onClose: () => void; children: ReactNode }): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    // oxlint-disable-next-line click-events-have-key-events no-noninteractive-element-interactions -- Escape does the same
    <dialog
      ref={dialog}
      aria-label="Command palette"
      className="mx-auto mt-[10vh] mb-auto w-full max-w-2xl rounded-md border border-border bg-raised p-0 text-text shadow-lg backdrop:bg-black/40"
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={({ target }) => {
        if (target === dialog.current) onClose();
      }}
    >
      {children}
    </dialog>
  );
}

interface EntriesProps {
  readonly id: string;
  readonly entries: readonly PaletteEntry[];
  readonly active: number;
  readonly onOpen: (entry: PaletteEntry, isNewTab: boolean) => void;
}

function Entries({ id, entries, active, onOpen }: EntriesProps): ReactNode {
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: "nearest" });
  }, [id, active]);
  return (
    <div id={`${id}-list`} role="listbox" aria-label="Found" className="max-h-[60vh] overflow-auto py-1">
      {entries.map((entry, index) => (
        // oxlint-disable-next-line click-events-have-key-events -- the field takes the keys
        <div
          key={entry.id}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          className="flex cursor-pointer items-baseline gap-3 px-4 py-1.5 hover:bg-surface aria-selected:bg-surface aria-selected:shadow-[inset_3px_0_var(--accent)]"
          onClick={(event) => onOpen(entry, event.ctrlKey || event.metaKey)}
        >
          <span className="w-20 shrink-0 text-xs text-muted">
            {entry.group === entries[index - 1]?.group ? "" : entry.group}
          </span>
          <span className="truncate font-semibold">{cleanText(entry.name, 200)}</span>
          <span className="ml-auto truncate text-xs text-muted">{cleanText(entry.note, 200)}</span>
        </div>
      ))}
      {entries.length === 0 && <p className="px-4 py-3 text-muted">Nothing found.</p>}
    </div>
  );
}
