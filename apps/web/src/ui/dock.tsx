import { useState, useSyncExternalStore, type KeyboardEvent, type PointerEvent, type ReactNode } from "react";

import { cleanText } from "../text/clean-text.ts";
import { dock, type DockItem } from "./dock-items.ts";

const leastPx = 120;
const firstPx = 280;
const stepPx = 40;

/** The bottom of the page, where shells and logs stay open while one goes elsewhere. */
export function Dock(): ReactNode {
  const { items, front, isFolded } = useSyncExternalStore(dock.subscribe, () => dock.snapshot);
  const [heightPx, setHeightPx] = useState(firstPx);
  if (items.length === 0) return null;
  return (
    <section aria-label="Dock" className="mt-auto flex shrink-0 flex-col border-t border-border bg-bg">
      {!isFolded && <HeightHandle heightPx={heightPx} onHeight={setHeightPx} />}
      <div className="flex items-center border-b border-border bg-surface">
        <div role="tablist" aria-label="Open below" className="flex min-w-0 flex-1 overflow-x-auto">
          {items.map((item) => (
            <DockTab key={item.id} item={item} isFront={item.id === front && !isFolded} />
          ))}
        </div>
        {front !== undefined && (
          <button type="button" className="px-2 py-1 text-xs text-accent" onClick={() => dock.close(front)}>
            Close
          </button>
        )}
        <button type="button" className="px-2 py-1 text-xs text-accent" onClick={() => dock.fold(!isFolded)}>
          {isFolded ? "Unfold" : "Fold"}
        </button>
      </div>
      {items.map(({ id, content }) => (
        // All stay alive: a shell that is not in front goes on.
        <div
          key={id}
          role="tabpanel"
          aria-labelledby={tabId(id)}
          hidden={isFolded || id !== front}
          className="flex min-h-0 flex-col [&[hidden]]:hidden"
          style={{ height: heightPx }}
        >
          {content}
        </div>
      ))}
    </section>
  );
}

function DockTab({ item, isFront }: { item: DockItem; isFront: boolean }): ReactNode {
  const { id, title } = item;
  return (
    <button
      type="button"
      role="tab"
      id={tabId(id)}
      aria-selected={isFront}
      className={`max-w-80 shrink-0 truncate border-r border-border px-3 py-1 text-xs ${isFront ? "bg-bg font-semibold" : "text-muted"}`}
      onClick={() => dock.show(id)}
    >
      {cleanText(title, 200)}
    </button>
  );
}

interface HeightHandleProps {
  readonly heightPx: number;
  readonly onHeight: (heightPx: number) => void;
}

function HeightHandle({ heightPx, onHeight }: HeightHandleProps): ReactNode {
  const mostPx = Math.round(innerHeight * 0.8);
  const set = (px: number): void => onHeight(Math.max(leastPx, Math.min(mostPx, Math.round(px))));
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "ArrowUp" && event.key !== "ArrowDown") return;
    event.preventDefault();
    set(heightPx + (event.key === "ArrowUp" ? stepPx : -stepPx));
  };
  const onMove = (event: PointerEvent): void => {
    if (event.buttons === 1) set(heightPx - event.movementY);
  };
  return (
    // oxlint-disable-next-line no-noninteractive-element-interactions -- a separator that can be focused is a widget
    <div
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the dock"
      aria-valuenow={heightPx}
      aria-valuemin={leastPx}
      aria-valuemax={mostPx}
      // oxlint-disable-next-line no-noninteractive-tabindex -- see above
      tabIndex={0}
      className="h-1.5 cursor-row-resize touch-none bg-border hover:bg-accent"
      onKeyDown={onKey}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={onMove}
    />
  );
}

function tabId(id: string): string {
  return `dock-${id}`;
}
