import { useRef, type KeyboardEvent, type ReactNode } from "react";

export interface TabsProps<Key extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly key: Key; readonly name: string }[];
  readonly chosen: Key;
  readonly onChoose: (key: Key) => void;
}

/** Parts of a screen of which one is shown; arrows go from one to the next. */
export function Tabs<Key extends string>({ label, tabs, chosen, onChoose }: TabsProps<Key>): ReactNode {
  const list = useRef<HTMLDivElement>(null);
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = tabs.findIndex(({ key }) => key === chosen);
    const index = (at + step + tabs.length) % tabs.length;
    const next = tabs[index];
    if (next === undefined) return;
    onChoose(next.key);
    const button = list.current?.children.item(index);
    if (button instanceof HTMLElement) button.focus();
  };
  return (
    <div
      ref={list}
      role="tablist"
      tabIndex={-1}
      aria-label={label}
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-border px-3"
      onKeyDown={onKey}
    >
      {tabs.map(({ key, name }) => (
        <button
          key={key}
          type="button"
          role="tab"
          aria-selected={key === chosen}
          tabIndex={key === chosen ? 0 : -1}
          className={`-mb-px border-b-2 px-2 py-1.5 whitespace-nowrap ${key === chosen ? "border-accent font-semibold" : "border-transparent text-muted hover:text-text"}`}
          onClick={() => onChoose(key)}
        >
          {name}
        </button>
      ))}
    </div>
  );
}
