import { lazy, Suspense, useEffect, useState, type ReactNode } from "react";

import type { PaletteProps } from "./palette.tsx";

const Palette = lazy(async () => {
  const { Palette: component } = await import("./palette.tsx");
  return { default: component };
});

/** The palette, which `Ctrl K` or `⌘ K` opens from anywhere, and how else to open it. */
export function usePalette(props: Pick<PaletteProps, "pages" | "actions">): {
  readonly palette: ReactNode;
  readonly openPalette: () => void;
} {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      event.preventDefault();
      setOpen((isThere) => !isThere);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const palette = isOpen && (
    <Suspense fallback={null}>
      <Palette {...props} onClose={() => setOpen(false)} />
    </Suspense>
  );
  return { palette, openPalette: () => setOpen(true) };
}
