import { useEffect, useId, useRef, type ReactNode } from "react";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  readonly children: ReactNode;
}

/** A window over the page, by the browser's own means: it holds the focus, and Escape closes it. */
export function Dialog({ title, onClose, isWide = false, children }: DialogProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      className={`m-auto w-full ${isWide ? "max-w-5xl" : "max-w-2xl"} rounded-md border border-border bg-raised p-0 text-text shadow-lg backdrop:bg-black/40`}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div className="flex items-center justify-between border-b border-border px-4 py-2">
        <h2 id={id} className="text-lg">
          {title}
        </h2>
        <button
          type="button"
          aria-label="Close"
          className="size-7 rounded-sm hover:bg-surface"
          onClick={onClose}
        >
          ×
        </button>
      </div>
      <div className="max-h-[80vh] overflow-auto p-4">{children}</div>
    </dialog>
  );
}
